package chat.server.room;

import chat.server.presence.PresenceCounters;
import java.util.concurrent.atomic.LongAdder;

/** What happened in the rooms of this server since its start, and who is in them; any thread may read. */
public final class RoomCounters {
    /** Sessions times rooms that they are in now. */
    public final LongAdder memberships = new LongAdder();

    public final PresenceCounters presence = new PresenceCounters();
    /** Messages times members they were sent to. */
    public final LongAdder delivered = new LongAdder();
    /** Messages that had been in the log before, dropped here. */
    public final LongAdder repeated = new LongAdder();
    /** TEXTs sent again whose id was known: acknowledged with their first position without being published. */
    public final LongAdder acknowledgedAgain = new LongAdder();
    /** What was sent again and found too many answers waiting: it went through the log. */
    public final LongAdder againThroughLog = new LongAdder();
    /** Rooms with members whose last messages were forgotten, as those of the partition took too much memory. */
    public final LongAdder recentForgotten = new LongAdder();
    /** Rooms without members that were forgotten, for that or because there were too many of them. */
    public final LongAdder emptyForgotten = new LongAdder();
    /** Messages under an id that their sender had used before for another one in the room: rejected, not published. */
    public final LongAdder conflicts = new LongAdder();
    /** Messages that STORED frames of this server named as not stored. */
    public final LongAdder notStoredTold = new LongAdder();
    /** Messages under an id that their sender had used before, where it showed only after they were published: delivered and stored under a derived id. */
    public final LongAdder renamed = new LongAdder();
    /** How often message ids were forgotten early because too many came. */
    public final LongAdder idsCutShort = new LongAdder();
    /** Times that the log said how far a partition is stored. */
    public final LongAdder storedRead = new LongAdder();
    /** STORED frames handed to members. */
    public final LongAdder storedTold = new LongAdder();
    /** JOINs answered from memory. */
    public final LongAdder resumedFromMemory = new LongAdder();
    /** JOINs that needed the history. */
    public final LongAdder resumedFromHistory = new LongAdder();
    /** Turns of temporary readers, each of which brought what it could. */
    public final LongAdder backlogReads = new LongAdder();
    /** Turns that ended without anything: the log could not be read. */
    public final LongAdder backlogFailures = new LongAdder();
    /** Turns that had to wait for another to end. */
    public final LongAdder backlogWaits = new LongAdder();
    /** Turns that ended after much of other rooms, before a page was full; the next one went on from there. */
    public final LongAdder backlogTurnsCut = new LongAdder();
    /** How often a member that reads the log forgot which ids it got first, since many came: one may come twice. */
    public final LongAdder backlogIdsForgotten = new LongAdder();
    /** Messages of pages that members hold which are catching up: as many as there are now. */
    public final LongAdder pageMessages = new LongAdder();
    /** Bytes of these pages, and what is reserved for pages that are being read. */
    public final LongAdder catchUpBytes = new LongAdder();
    /** Members that wait until they may catch up, now. */
    public final LongAdder catchUpWaiting = new LongAdder();
    /** Pages dropped before they were sent, since their sockets were slow and others waited for the memory. */
    public final LongAdder catchUpDropped = new LongAdder();
    /** How often a member had to wait since its user had received more past messages than its budget. */
    public final LongAdder catchUpDelayed = new LongAdder();
    /** GAP frames sent to members that resumed. */
    public final LongAdder resumeGaps = new LongAdder();
}
