package chat.log;

/**
 * Computes positions, the addresses of messages: {@code (epoch + offset) * 2048 + index}.
 *
 * <p>The epoch is the time in microseconds at which the log was started, so all positions of a log are above those of
 * every earlier log, as long as a log grows by less than a million entries per second. 63 bits last until 2112.
 */
public final class Position {
    /** Limit of the messages in one entry. */
    public static final int MESSAGES_PER_ENTRY = 2048;

    /** Limit of an epoch, in the year 2112: with any realistic offset, a position still fits into 63 bits. */
    static final long MAX_EPOCH = (1L << 52) - (1L << 40);

    private static final int INDEX_BITS = 11;

    private Position() {}

    public static long of(long epoch, long offset, int index) {
        return ((epoch + offset) << INDEX_BITS) + index;
    }

    /** The lowest epoch whose positions are all above this one, at any offset. */
    static long epochAbove(long position) {
        return (position >> INDEX_BITS) + 1;
    }

    /** The offset of the position's entry in the log of this epoch; negative if it is in an earlier log. */
    public static long offset(long position, long epoch) {
        return (position >> INDEX_BITS) - epoch;
    }
}
