package chat.persistence.batch;

/**
 * A range of the log that was gone before it could be read.
 *
 * @param reason one word, as in the log's own vocabulary
 * @param from position after which something may be missing
 * @param to position up to which something may be missing
 */
public record Gap(String reason, long from, long to) {}
