package chat.persistence.batch;

/**
 * The last stored entry of a partition, with the values a reader needs to find it again.
 *
 * @param position the highest position a message of the entry can have
 * @param epoch epoch of the log, microseconds since 1970
 * @param offset of the entry
 * @param incarnation incarnation of the server that wrote it
 * @param sequence of the entry within that incarnation
 */
public record Mark(long position, long epoch, long offset, long incarnation, long sequence) {}
