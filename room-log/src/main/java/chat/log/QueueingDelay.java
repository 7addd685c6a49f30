package chat.log;

import java.util.concurrent.TimeUnit;

/**
 * Estimates the queueing delay of this server's entries: the average time from publishing an entry to reading it back,
 * minus the shortest recent time. It includes every busy resource on that path: processors, broker and disks. TCP Vegas
 * and LEDBAT detect congestion in the same way. Confined to the partition's thread.
 */
final class QueueingDelay {
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
    private long average;
    private long lastNanos;

    /** @param maxNanos upper limit of the estimate; 0 disables it */
    QueueingDelay(long maxNanos, long now) {
        this.maxNanos = maxNanos;
        this.lastNanos = now - STALE_NANOS;
    }

    /** Records the time from publishing an entry to reading it back. */
    void took(long nanos, long now) {
        shortest = Math.min(nanos, shortest + shortest / FORGETTING);
        long counted = Math.min(nanos, shortest + maxNanos);
        long before = isStale(now) ? shortest : average;
        average = before + (counted - before) / WEIGHT;
        lastNanos = now;
    }

    /** The estimate in nanoseconds, not negative; 0 if no entry was read back for a second. */
    long nanos(long now) {
        return isStale(now) ? 0 : Math.clamp(average - shortest, 0, maxNanos);
    }

    private boolean isStale(long now) {
        return now - lastNanos >= STALE_NANOS;
    }
}
