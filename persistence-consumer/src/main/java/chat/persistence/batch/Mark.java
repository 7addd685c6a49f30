package chat.persistence.batch;

/**
 * How far a partition is stored: its last stored entry, in the terms by which a reader finds it again.
 *
 * @param position the highest that a message of the entry can have
 * @param origin of the log, microseconds since 1970
 * @param offset of the entry
 * @param run of the server that wrote it
 * @param sequence of the entry in that run
 */
public record Mark(long position, long origin, long offset, long run, long sequence) {}
