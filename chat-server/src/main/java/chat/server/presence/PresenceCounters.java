package chat.server.presence;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** Counters of presence on this server since its start. Any thread may read them. */
public final class PresenceCounters {
    /** Members known now, in all partitions read here; a user counts once per room and server. */
    public final AtomicInteger members = new AtomicInteger();
    /** Members not indexed because the index was full. */
    public final LongAdder beyondBound = new LongAdder();
    /** Incarnations of other servers that timed out and whose members were removed. */
    public final LongAdder runsGone = new LongAdder();
    /** Complete rosters that this server published. */
    public final LongAdder rostersPublished = new LongAdder();
    /** Rosters published because the log was wrong about this server's own members. */
    public final LongAdder corrections = new LongAdder();
    /** Rosters ignored because too many entries followed them; their writers publish them again. */
    public final LongAdder rostersTooOld = new LongAdder();
    /** Joins and leaves announced only as a member count, because a frame had too many names. */
    public final LongAdder namesLeftOut = new LongAdder();
    /** MEMBERS frames sent to rooms; one shared by all members of a room counts once. */
    public final LongAdder framesTold = new LongAdder();
    /** LEAVEs written late, because the log was unavailable when their sockets closed. */
    public final LongAdder lateLeaves = new LongAdder();
    /** LEAVEs dropped because too many waited for the log. */
    public final LongAdder leavesGivenUp = new LongAdder();
}
