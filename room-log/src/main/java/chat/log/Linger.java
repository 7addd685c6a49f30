package chat.log;

import java.util.HashSet;
import java.util.Set;

/**
 * Decides how long a partition's next entry lingers to collect more messages. The broker's cost is per entry, whatever
 * its size, and all servers share the broker. Under load, the interval between entries grows with the number of servers
 * that write into the partition and with the {@linkplain QueueingDelay queueing delay}; at low rates no entry waits.
 * Servers that write into one partition synchronise, so that readers can forward messages of all of them together.
 * Confined to the partition's thread.
 */
final class Linger {
    /** Further writers do not increase the linger. */
    private static final int MAX_WRITERS = 8;

    /** Each further writer adds this fraction of a single writer's linger. */
    private static final double FURTHER_WRITER = 2.0 / 3;

    /**
     * Factor of the queueing delay that is added to a single writer's linger. Under load, larger entries and frames
     * reduce the load, and no message is delayed by it: an entry that did not linger would wait in a queue instead.
     * Each further writer adds {@link #FURTHER_WRITER}, because all writers share the busy resources.
     */
    private static final int QUEUEING = 2;

    /**
     * Fraction of the linger after which an entry of another server ends it. Two alternating groups of servers are half
     * a linger apart: with a smaller fraction, a late entry would trigger all the others again; with a much larger one,
     * jitter would never merge the two groups.
     */
    private static final double SYNCHRONISE_AFTER = 0.625;

    /** Weight of one observation in the moving average of writers. */
    private static final double WEIGHT = 0.2;

    private final long nanos;
    private final QueueingDelay queueing;
    private long untilNanos;
    /** From this time on, an entry of another server ends the linger. */
    private long synchroniseFromNanos;

    /** Incarnations of the other servers that have written since this server's last entry. */
    private final Set<Long> others = new HashSet<>();

    private double writers = 1;

    /** @param nanos linger of a single writer without queueing */
    Linger(long nanos, QueueingDelay queueing, long now) {
        this.nanos = nanos;
        this.queueing = queueing;
        this.untilNanos = now;
    }

    /** The remaining linger of the next entry in nanoseconds; 0 or less if it may be published. */
    long left(long now) {
        return untilNanos - now;
    }

    /** An entry of this server is published. */
    void published(int messages, long now) {
        writers += (Math.min(1 + others.size(), MAX_WRITERS) - writers) * WEIGHT;
        others.clear();
        if (messages < LogSettings.BUSY_MESSAGES) return;
        double further = (writers - 1) * FURTHER_WRITER;
        long linger = (long) ((1 + further) * nanos + (QUEUEING + further) * queueing.nanos(now));
        untilNanos = now + linger;
        synchroniseFromNanos = now + (long) (linger * SYNCHRONISE_AFTER);
    }

    /**
     * An entry with messages of another server was read. If most of the linger has passed, it ends now.
     *
     * @return whether this ended the linger
     */
    boolean readFromOther(long incarnation, long now) {
        if (others.size() < MAX_WRITERS) others.add(incarnation);
        if (untilNanos - now <= 0 || synchroniseFromNanos - now > 0) return false;
        untilNanos = now;
        return true;
    }
}
