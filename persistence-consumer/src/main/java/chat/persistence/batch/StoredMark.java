package chat.persistence.batch;

/**
 * The stored state of a partition.
 *
 * @param drained whether the last writer had read the log to its end and then stopped
 */
public record StoredMark(Mark mark, boolean drained) {}
