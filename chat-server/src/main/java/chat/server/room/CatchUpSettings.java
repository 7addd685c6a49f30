package chat.server.room;

/**
 * Bounds of catch-up.
 *
 * @param memoryBytes limit of all pages of history in memory, including those being read, 8 MiB to 1 TiB
 * @param reads concurrent reads of pages, 1 to 1,000
 * @param userBytesPerSecond sustained rate of history per user, at least 16 KiB; 0: unlimited
 */
public record CatchUpSettings(long memoryBytes, int reads, long userBytesPerSecond) {
    /** Concurrent reads: fewer than the consumer has connections for queries, so that other queries find one. */
    public static final int READS = 8;

    /** Several pages of maximum size, or hundreds of usual ones. */
    private static final long MEMORY = 64 << 20;

    /** Enough for several pages of maximum size. */
    private static final long LEAST_MEMORY = 8 << 20;

    private static final long MOST_MEMORY = 1L << 40;
    private static final long LEAST_RATE = 16 << 10;
    private static final long MOST_RATE = 100 << 20;

    public CatchUpSettings {
        if (memoryBytes < LEAST_MEMORY || memoryBytes > MOST_MEMORY)
            throw new IllegalArgumentException("memory must be 8MB to 1TB, not " + memoryBytes + " bytes");
        if (reads < 1 || reads > 1_000) throw new IllegalArgumentException("reads must be 1 to 1000, not " + reads);
        if (userBytesPerSecond != 0 && (userBytesPerSecond < LEAST_RATE || userBytesPerSecond > MOST_RATE))
            throw new IllegalArgumentException(
                    "user-rate must be 0, or 16KB to 100MB, not " + userBytesPerSecond + " bytes");
    }

    /** Creates the settings of production, in which the other values are constants. */
    public CatchUpSettings(long userBytesPerSecond) {
        this(MEMORY, READS, userBytesPerSecond);
    }
}
