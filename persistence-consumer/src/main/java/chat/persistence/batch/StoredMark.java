package chat.persistence.batch;

/**
 * What the database knows of a partition.
 *
 * @param drained whether whoever wrote it last had read the log to its end and then stopped
 */
public record StoredMark(Mark mark, boolean drained) {}
