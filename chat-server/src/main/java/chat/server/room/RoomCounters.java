package chat.server.room;

import chat.server.presence.PresenceCounters;
import java.util.concurrent.atomic.LongAdder;

/** Counters and gauges of the rooms of this server since its start. Thread-safe. */
public final class RoomCounters {
    /** Current memberships: one for each session and room. */
    public final LongAdder memberships = new LongAdder();

    public final PresenceCounters presence = new PresenceCounters();
    /** Deliveries: one for each message and member. */
    public final LongAdder delivered = new LongAdder();
    /** Duplicate messages in the log that were dropped. */
    public final LongAdder repeated = new LongAdder();
    /** Resent TEXTs that were acknowledged with their first position without being published. */
    public final LongAdder acknowledgedAgain = new LongAdder();
    /** Resent messages that were published because too many answers were queued. */
    public final LongAdder againThroughLog = new LongAdder();
    /** Rooms with members whose recent messages were evicted because the partition used too much memory. */
    public final LongAdder recentForgotten = new LongAdder();
    /** Rooms without members that were evicted, for memory or for their number. */
    public final LongAdder emptyForgotten = new LongAdder();
    /** Messages rejected because their sender had used the id for another message in the room. */
    public final LongAdder conflicts = new LongAdder();
    /** Messages that STORED frames of this server named as not stored (dead letters). */
    public final LongAdder notStoredTold = new LongAdder();
    /** Messages whose reused id was found only after they were published: delivered and stored under a derived id. */
    public final LongAdder renamed = new LongAdder();
    /** Times that the deduplication window was shortened because it was full. */
    public final LongAdder idsCutShort = new LongAdder();
    /** Stored positions read from the log. */
    public final LongAdder storedRead = new LongAdder();
    /** STORED frames sent to members. */
    public final LongAdder storedTold = new LongAdder();
    /** JOINs answered from memory. */
    public final LongAdder resumedFromMemory = new LongAdder();
    /** JOINs that needed the history. */
    public final LongAdder resumedFromHistory = new LongAdder();
    /** Reads by temporary readers. */
    public final LongAdder backlogReads = new LongAdder();
    /** Reads that failed because the log was unavailable. */
    public final LongAdder backlogFailures = new LongAdder();
    /** Reads that waited for another read to end. */
    public final LongAdder backlogWaits = new LongAdder();
    /** Reads that ended before a page was full, after many messages of other rooms; the next read continues there. */
    public final LongAdder backlogTurnsCut = new LongAdder();
    /** Times that a member that catches up from the log dropped its oldest ids: it may receive a message twice. */
    public final LongAdder backlogIdsForgotten = new LongAdder();
    /** Current messages in catch-up pages. */
    public final LongAdder pageMessages = new LongAdder();
    /** Current bytes of these pages, plus reservations for pages that are being read. */
    public final LongAdder catchUpBytes = new LongAdder();
    /** Members that currently wait for permission to catch up. */
    public final LongAdder catchUpWaiting = new LongAdder();
    /** Pages dropped before they were sent because the sockets were slow and other members waited for the memory. */
    public final LongAdder catchUpDropped = new LongAdder();
    /** Times that a member waited because its user had exceeded the budget for history. */
    public final LongAdder catchUpDelayed = new LongAdder();
    /** GAP frames sent to members that resumed. */
    public final LongAdder resumeGaps = new LongAdder();
}
