package chat.log;

import java.util.concurrent.TimeUnit;

/**
 * How much longer the log takes for this server's entries than it needs: the average time from handing one over to reading
 * it back, less the shortest of late. Whatever is busy on that way, processors, broker or disks of either, shows in it: TCP
 * Vegas and LEDBAT see congestion so, too. Confined to the partition's thread.
 */
final class QueueingDelay {
    /** One entry is one part of so many in the average. */
    private static final int WEIGHT = 5;

    /**
     * The shortest time grows by one part of so many with each entry that takes longer. A way that has become longer for
     * good, as to a leader elsewhere, is what is needed after some thousand entries; under load one in so many finds
     * nothing before it.
     */
    private static final int FORGETTING = 5000;

    /** What was seen before that says nothing of now. */
    private static final long STALE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final long maxNanos;
    private long shortest = Long.MAX_VALUE / 2;
    private long average;
    private long lastNanos;

    /** @param maxNanos it is never said to be more; 0: there is none */
    QueueingDelay(long maxNanos, long now) {
        this.maxNanos = maxNanos;
        this.lastNanos = now - STALE_NANOS;
    }

    /** An entry was read back so long after it was handed to the log. */
    void took(long nanos, long now) {
        shortest = Math.min(nanos, shortest + shortest / FORGETTING);
        long counted = Math.min(nanos, shortest + maxNanos);
        long before = isStale(now) ? shortest : average;
        average = before + (counted - before) / WEIGHT;
        lastNanos = now;
    }

    /** In nanoseconds, not negative; 0 where nothing has been read back for a second. */
    long nanos(long now) {
        return isStale(now) ? 0 : Math.clamp(average - shortest, 0, maxNanos);
    }

    private boolean isStale(long now) {
        return now - lastNanos >= STALE_NANOS;
    }
}
