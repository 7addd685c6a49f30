package chat.server.presence;

import chat.log.Roster;
import chat.protocol.Member;
import chat.protocol.RoomId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One run of a server as its entries in the log show it. */
final class IncarnationState {
    /**
     * Entries with messages of one run that can stand between the one that its roster takes into account last and the
     * roster itself: no run has more than half as many on their way.
     */
    private static final int REMEMBERED_ENTRIES = 64;

    final long id;
    final String name;
    /** Rooms in which it has members, and how many. */
    private final Map<RoomId, Integer> rooms = new HashMap<>();

    long lastHeardNanos;
    /** Own heartbeats read since it was last heard. */
    int beatsSince;
    /** When it was last proposed to be gone. */
    long proposedNanos;

    boolean proposed;

    /** The sequence of its last entry with messages, as those or its rosters tell it. */
    private long lastSequence;

    private long entries;
    private final Deque<Remembered> remembered = new ArrayDeque<>();
    /** The highest sequence of those that were remembered and are not any more. */
    private long forgotten;

    private @Nullable Parts parts;

    /** A user has come, +1, or gone, -1, by one session. */
    record Change(RoomId room, Member member, int by) {}

    private record Remembered(long number, long sequence, List<Change> changes) {}

    /** A roster of which not all parts have been read. */
    private static final class Parts {
        final Roster first;
        final List<Roster.Room> rooms = new ArrayList<>();
        int next;

        Parts(Roster first) {
            this.first = first;
        }
    }

    /** @param name of its server, for people */
    IncarnationState(long id, String name) {
        this.id = id;
        this.name = name;
    }

    Set<RoomId> rooms() {
        return rooms.keySet();
    }

    void counts(RoomId room, int more) {
        rooms.merge(room, more, (before, by) -> before + by == 0 ? null : before + by);
    }

    void heard(long nanos) {
        lastHeardNanos = nanos;
        beatsSince = 0;
        proposed = false;
    }

    /** The sequence up to which all that it wrote and that can change members is known; 0: nothing yet. */
    long lastSequence() {
        return lastSequence;
    }

    /** Its own roster says what all up to there came to, also to who has not read it. */
    void readThrough(long sequence) {
        lastSequence = Math.max(lastSequence, sequence);
    }

    /** @param changes what its entry said; to be taken into account again on top of an earlier roster */
    void remember(long sequence, List<Change> changes) {
        lastSequence = Math.max(lastSequence, sequence);
        entries++;
        if (!changes.isEmpty()) remembered.add(new Remembered(entries, sequence, changes));
        Remembered oldest;
        while ((oldest = remembered.peek()) != null && oldest.number() <= entries - REMEMBERED_ENTRIES) {
            forgotten = Math.max(forgotten, oldest.sequence());
            remembered.remove();
        }
    }

    /** What its entries after this one said, in their order; null where that is not known any more. */
    @Nullable
    List<Change> changesAfter(long sequence) {
        if (sequence < forgotten) return null;
        List<Change> changes = new ArrayList<>();
        for (Remembered entry : remembered) if (entry.sequence() > sequence) changes.addAll(entry.changes());
        return changes;
    }

    /** Takes a part of a roster that this run wrote; returns all rooms of the roster once it is whole, else null. */
    @Nullable
    List<Roster.Room> take(Roster part) {
        if (part.part() == 0) parts = new Parts(part);
        Parts open = parts;
        boolean follows = open != null
                && open.next == part.part()
                && open.first.parts() == part.parts()
                && open.first.run() == part.run()
                && open.first.through() == part.through();
        if (open == null || !follows) {
            parts = null; // its writer writes all of it again
            return null;
        }
        open.rooms.addAll(part.rooms());
        if (++open.next < part.parts()) return null;
        parts = null;
        return open.rooms;
    }
}
