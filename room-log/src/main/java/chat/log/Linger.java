package chat.log;

/**
 * How long a partition's next entry waits for company. The broker's cost is the entry, whatever it holds, and all servers
 * share the broker: so under load entries keep a distance that grows with the servers that write into the partition, and
 * where little is said nothing waits. Confined to the partition's thread.
 */
final class Linger {
    /** The distance grows for no more than so many writers. */
    private static final double MAX_WRITERS = 8;

    /** What one observation counts in the average of writers. */
    private static final double WEIGHT = 0.2;

    private final long nanos;
    private long untilNanos;
    private int othersEntries;
    private double writers = 1;

    /** @param nanos between two entries of the only writer */
    Linger(long nanos, long now) {
        this.nanos = nanos;
        this.untilNanos = now;
    }

    /** How long the next entry has to wait yet, in nanoseconds; not above 0: it may go. */
    long left(long now) {
        return untilNanos - now;
    }

    /** An entry of this server goes out. */
    void published(int messages, long now) {
        writers += (Math.min(1 + othersEntries, MAX_WRITERS) - writers) * WEIGHT;
        othersEntries = 0;
        if (messages >= LogSettings.BUSY_MESSAGES) untilNanos = now + (long) (nanos * writers);
    }

    /** An entry with messages of another server was read. */
    void readFromOther() {
        othersEntries++;
    }
}
