package chat.log;

/**
 * The address of a message, everywhere: {@code (origin + offset) * 2048 + index}.
 *
 * <p>The origin is the time in microseconds at which the log was begun, so a log begun later lies above every earlier
 * one, as long as it grows by less than a million entries per second. 63 bits last until 2112.
 */
public final class Position {
    /** Messages of one entry. */
    public static final int MESSAGES_PER_ENTRY = 2048;

    /** Above it a position would not fit into 63 bits with offsets of any log that could be; in the year 2112. */
    static final long MAX_ORIGIN = (1L << 52) - (1L << 40);

    private static final int INDEX_BITS = 11;

    private Position() {}

    public static long of(long origin, long offset, int index) {
        return ((origin + offset) << INDEX_BITS) + index;
    }

    /** The lowest origin whose positions all lie above this one, wherever its log begins. */
    static long originAbove(long position) {
        return (position >> INDEX_BITS) + 1;
    }

    /** The offset of the entry that holds the position, in the log that has this origin; negative: in an earlier log. */
    public static long offset(long position, long origin) {
        return (position >> INDEX_BITS) - origin;
    }
}
