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

/** State of one server incarnation in one partition, derived from its entries in the log. Not thread-safe. */
final class IncarnationState {
    /**
     * Entries with messages that one incarnation can append between the last entry its roster covers and the roster
     * itself. An incarnation has at most half this number of unconfirmed entries.
     */
    private static final int REMEMBERED_ENTRIES = 64;

    final long id;
    final String name;
    /** Rooms in which it has members, and how many. */
    private final Map<RoomId, Integer> rooms = new HashMap<>();

    long lastHeardNanos;
    /** This server's own heartbeats read since the last entry of this incarnation. */
    int beatsSince;
    /** When its removal was last proposed. */
    long proposedNanos;

    boolean proposed;

    /** The sequence of its last entry with messages, taken from those entries or from its rosters. */
    private long lastSequence;

    private long entries;
    private final Deque<Remembered> remembered = new ArrayDeque<>();
    /** The highest sequence that was evicted from the remembered entries. */
    private long forgotten;

    private @Nullable Parts parts;

    /** One session of a user has joined (+1) or left (-1). */
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

    /** @param name of its server, for log lines */
    IncarnationState(long id, String name) {
        this.id = id;
        this.name = name;
    }

    Set<RoomId> rooms() {
        return rooms.keySet();
    }

    /** Changes the number of its members in a room. */
    void addMembers(RoomId room, int more) {
        rooms.merge(room, more, (before, by) -> before + by == 0 ? null : before + by);
    }

    void heard(long nanos) {
        lastHeardNanos = nanos;
        beatsSince = 0;
        proposed = false;
    }

    /** The sequence up to which all its entries that can change members are known; 0: none yet. */
    long lastSequence() {
        return lastSequence;
    }

    /** Records that its roster covers all entries up to this sequence, including entries not read here. */
    void readThrough(long sequence) {
        lastSequence = Math.max(lastSequence, sequence);
    }

    /** @param changes made by its entry; applied again on top of a roster that does not cover the entry */
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

    /** The changes of its entries after this sequence, in order; null if some of them were evicted. */
    @Nullable
    List<Change> changesAfter(long sequence) {
        if (sequence < forgotten) return null;
        List<Change> changes = new ArrayList<>();
        for (Remembered entry : remembered) if (entry.sequence() > sequence) changes.addAll(entry.changes());
        return changes;
    }

    /** Adds a part of this incarnation's roster; returns all its rooms once it is complete, else null. */
    @Nullable
    List<Roster.Room> take(Roster part) {
        if (part.part() == 0) parts = new Parts(part);
        Parts open = parts;
        boolean follows = open != null
                && open.next == part.part()
                && open.first.parts() == part.parts()
                && open.first.incarnation() == part.incarnation()
                && open.first.through() == part.through();
        if (open == null || !follows) {
            parts = null; // its writer publishes all of it again
            return null;
        }
        open.rooms.addAll(part.rooms());
        if (++open.next < part.parts()) return null;
        parts = null;
        return open.rooms;
    }
}
