package chat.server.presence;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** What happened to presence on this server since its start; any thread may read. */
public final class PresenceCounters {
    /** Members known now, in all partitions read here; a user counts once per room and server. */
    public final AtomicInteger members = new AtomicInteger();
    /** Members that could not be kept because there were too many. */
    public final LongAdder beyondBound = new LongAdder();
    /** Runs of other servers that were unheard for too long, and their members gone with them. */
    public final LongAdder runsGone = new LongAdder();
    /** Rosters that this server published, in whole. */
    public final LongAdder rostersPublished = new LongAdder();
    /** Rosters that were published because what the log said of this server's own members was not so. */
    public final LongAdder corrections = new LongAdder();
    /** Rosters read and not taken, as more had been written since than is remembered: their writers write them again. */
    public final LongAdder rostersTooOld = new LongAdder();
    /** Members of whose coming or going rooms were told by the number alone, as there were too many at once. */
    public final LongAdder namesLeftOut = new LongAdder();
    /** MEMBERS frames sent to rooms; one shared by all members of a room counts once. */
    public final LongAdder framesTold = new LongAdder();
    /** LEAVEs written after the log had been away when their sockets ended. */
    public final LongAdder lateLeaves = new LongAdder();
    /** LEAVEs given up because too many waited for the log. */
    public final LongAdder leavesGivenUp = new LongAdder();
}
