package chat.log;

import java.util.concurrent.TimeUnit;

/**
 * Decides how long messages wait for others: entries of a partition, and frames of a room, are at least {@link #FACTOR}
 * queueing delays apart. The queueing delay is how much longer recent entries took from publishing to reading back than
 * the fastest one. It includes every busy resource on that path: processors, broker and disks. While they have time to
 * spare it is near zero, and nothing waits. Under load, entries and frames grow, which reduces the load, because its cost
 * is per entry and per frame. TCP Vegas and LEDBAT detect congestion in the same way. Confined to the partition's thread.
 */
final class Linger {
    /** Factors of 2 to 6 hardly differ: see ADR 14. */
    static final int FACTOR = 5;

    /** Each entry contributes 1/WEIGHT to the moving average. */
    private static final int WEIGHT = 5;

    /**
     * The shortest time grows by 1/FORGETTING with each entry that takes longer. A path that has become slower for
     * good, for example to a leader on another node, is therefore the new minimum after some thousand entries. Even
     * under load, about one entry in FORGETTING finds all queues empty.
     */
    private static final int FORGETTING = 5000;

    /** Older observations are ignored. */
    private static final long STALE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final long maxNanos;
    private long shortest = Long.MAX_VALUE / 2;
    private long previous;
    private long average;
    private long readBackNanos;
    private long publishedNanos;

    /** @param maxNanos upper limit of the linger; 0: nothing waits */
    Linger(long maxNanos, long now) {
        this.maxNanos = maxNanos;
        this.readBackNanos = now - STALE_NANOS;
        this.publishedNanos = now - maxNanos;
    }

    /** Records the time from publishing an entry to reading it back. */
    void readBack(long nanos, long now) {
        if (isStale(now)) previous = average = Math.min(nanos, shortest);
        shortest = Math.min(nanos, shortest + shortest / FORGETTING);
        // A single slow entry is no queue, and a pause of the log is limited to maxNanos.
        long counted = Math.min(Math.min(nanos, previous), shortest + maxNanos);
        previous = nanos;
        average += (counted - average) / WEIGHT;
        readBackNanos = now;
    }

    /** An entry was published. */
    void published(long now) {
        publishedNanos = now;
    }

    /** The remaining wait of the next entry in nanoseconds; 0 or less if it may be published. */
    long left(long now) {
        return publishedNanos + nanos(now) - now;
    }

    /** The current interval in nanoseconds; 0 if no entry was read back for a second. */
    long nanos(long now) {
        return isStale(now) ? 0 : Math.clamp(FACTOR * (average - shortest), 0, maxNanos);
    }

    private boolean isStale(long now) {
        return now - readBackNanos >= STALE_NANOS;
    }
}
