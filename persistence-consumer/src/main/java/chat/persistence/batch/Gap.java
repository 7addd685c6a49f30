package chat.persistence.batch;

/**
 * A range of the log that was removed before it could be read.
 *
 * @param reason one word, as in {@code chat.log.LogGap.Reason}
 * @param from position after which messages may be missing
 * @param to position up to which messages may be missing
 */
public record Gap(String reason, long from, long to) {}
