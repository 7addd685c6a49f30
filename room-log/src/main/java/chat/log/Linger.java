package chat.log;

import java.util.HashSet;
import java.util.Set;

/**
 * How long a partition's next entry waits for company. The broker's cost is the entry, whatever it holds, and all servers
 * share the broker: so under load entries keep a distance that grows with the servers that write into the partition and with
 * what entries have to {@linkplain QueueingDelay wait for} on their way, and where little is said nothing waits. Servers that
 * write into one partition come to do so at the same time: readers then have something of each to hand on at once. Confined
 * to the partition's thread.
 */
final class Linger {
    /** The distance grows for no more than so many writers. */
    private static final int MAX_WRITERS = 8;

    /** What each further writer adds to the distance, of that of the only one. */
    private static final double FURTHER_WRITER = 2.0 / 3;

    /**
     * The distance of the only writer grows by so many times the queueing delay. Where everything is busy, larger entries
     * and frames are what makes it less so, and nobody waits longer for it: what is waited for here would have been waited
     * for on the way. Each further writer adds {@link #FURTHER_WRITER}, as all of them share what is busy.
     */
    private static final int QUEUEING = 2;

    /**
     * So much of the distance has to have passed before the entry of another server ends it. Two groups of servers that
     * write in turn are half of it apart: with less than that, an entry that is late would call all others again; with
     * much more no jitter would make the two one.
     */
    private static final double COMPANY = 0.625;

    /** What one observation counts in the average of writers. */
    private static final double WEIGHT = 0.2;

    private final long nanos;
    private final QueueingDelay queueing;
    private long untilNanos;
    /** From here on an entry of another server ends the wait. */
    private long companyFromNanos;

    /** The runs of other servers that have written since this one did. */
    private final Set<Long> others = new HashSet<>();

    private double writers = 1;

    /** @param nanos between two entries of the only writer, where nothing is busy */
    Linger(long nanos, QueueingDelay queueing, long now) {
        this.nanos = nanos;
        this.queueing = queueing;
        this.untilNanos = now;
    }

    /** How long the next entry has to wait yet, in nanoseconds; not above 0: it may go. */
    long left(long now) {
        return untilNanos - now;
    }

    /** An entry of this server goes out. */
    void published(int messages, long now) {
        writers += (Math.min(1 + others.size(), MAX_WRITERS) - writers) * WEIGHT;
        others.clear();
        if (messages < LogSettings.BUSY_MESSAGES) return;
        double further = (writers - 1) * FURTHER_WRITER;
        long distance = (long) ((1 + further) * nanos + (QUEUEING + further) * queueing.nanos(now));
        untilNanos = now + distance;
        companyFromNanos = now + (long) (distance * COMPANY);
    }

    /**
     * An entry with messages of another server was read: where most of the distance lies behind, the next one of this
     * server goes with it.
     *
     * @return whether it has to wait no more
     */
    boolean readFromOther(long run, long now) {
        if (others.size() < MAX_WRITERS) others.add(run);
        if (untilNanos - now <= 0 || companyFromNanos - now > 0) return false;
        untilNanos = now;
        return true;
    }
}
