package chat.server.presence;

import chat.protocol.Member;
import chat.protocol.RoomId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Index of the users in each room, with the number of their sessions per server incarnation. Counting the users of a
 * room takes constant time; a page takes time proportional to its length. Bounded. Not thread-safe.
 */
final class PresenceIndex {
    /** Numeric order: ids are decimal numbers without leading zeros. */
    private static final Comparator<String> BY_NUMBER =
            Comparator.comparingInt(String::length).thenComparing(Comparator.naturalOrder());

    private final int maxEntries;
    private final LongAdder beyondBound;
    private final Map<RoomId, TreeMap<String, Entry>> rooms = new HashMap<>();
    private int entries;

    /** One user in one room through one incarnation; the next entry is the same user through another incarnation. */
    private static final class Entry {
        final IncarnationState incarnation;
        String username;

        @Nullable
        String displayName;

        int sessions;

        @Nullable
        Entry next;

        Entry(IncarnationState incarnation, Member member, int sessions, @Nullable Entry next) {
            this.incarnation = incarnation;
            setNames(member);
            this.sessions = sessions;
            this.next = next;
        }

        final void setNames(Member member) {
            username = member.username();
            displayName = member.displayName();
        }

        /** @param userId the key of this entry */
        Member member(String userId) {
            return new Member(userId, username, displayName);
        }
    }

    /** Effect of a change on the members of a room. */
    enum Effect {
        /** The user was not in the room before. */
        JOINED,
        /** The user has left the room on all servers. */
        LEFT,
        NONE
    }

    PresenceIndex(int maxEntries, LongAdder beyondBound) {
        this.maxEntries = maxEntries;
        this.beyondBound = beyondBound;
    }

    /** Number of entries, one per user, room and incarnation; this is what the bound limits. */
    int entries() {
        return entries;
    }

    boolean isFull() {
        return entries >= maxEntries;
    }

    /** Distinct users of a room. */
    int members(RoomId room) {
        TreeMap<String, Entry> users = rooms.get(room);
        return users == null ? 0 : users.size();
    }

    int sessions(RoomId room, String userId, IncarnationState incarnation) {
        TreeMap<String, Entry> users = rooms.get(room);
        Entry entry = users == null ? null : find(users.get(userId), incarnation);
        return entry == null ? 0 : entry.sessions;
    }

    /** The user with the names of one of its sessions; null if the user is not in the room. */
    @Nullable
    Member member(RoomId room, String userId) {
        TreeMap<String, Entry> users = rooms.get(room);
        Entry entry = users == null ? null : users.get(userId);
        return entry == null ? null : entry.member(userId);
    }

    private static @Nullable Entry find(@Nullable Entry first, IncarnationState incarnation) {
        for (Entry entry = first; entry != null; entry = entry.next) if (entry.incarnation == incarnation) return entry;
        return null;
    }

    /** Sets the number of sessions of a user in a room through an incarnation. */
    Effect set(RoomId room, Member member, IncarnationState incarnation, int sessions) {
        TreeMap<String, Entry> users = rooms.get(room);
        Entry first = users == null ? null : users.get(member.userId());
        Entry entry = find(first, incarnation);
        if (entry != null && sessions > 0) {
            entry.sessions = sessions;
            entry.setNames(member);
            return Effect.NONE;
        }
        if (entry != null) return remove(room, member.userId(), entry);
        if (sessions <= 0) return Effect.NONE;
        if (isFull()) {
            beyondBound.increment();
            return Effect.NONE;
        }
        if (users == null) {
            users = new TreeMap<>(BY_NUMBER);
            rooms.put(room, users);
        }
        users.put(member.userId(), new Entry(incarnation, member, sessions, first));
        entries++;
        incarnation.addMembers(room, 1);
        return first == null ? Effect.JOINED : Effect.NONE;
    }

    private Effect remove(RoomId room, String userId, Entry removed) {
        TreeMap<String, Entry> users = rooms.get(room);
        if (users == null) return Effect.NONE;
        entries--;
        removed.incarnation.addMembers(room, -1);
        Entry rest = without(users.get(userId), removed);
        if (rest != null) {
            users.put(userId, rest);
            return Effect.NONE;
        }
        users.remove(userId);
        if (users.isEmpty()) rooms.remove(room);
        return Effect.LEFT;
    }

    private static @Nullable Entry without(@Nullable Entry first, Entry removed) {
        if (first == removed) return removed.next;
        for (Entry entry = first; entry != null; entry = entry.next)
            if (entry.next == removed) entry.next = removed.next;
        return first;
    }

    /** A member of a room, and the number of its sessions through one incarnation. */
    record MemberSessions(Member member, int sessions) {}

    /** The members of a room through one incarnation. */
    List<MemberSessions> of(IncarnationState incarnation, RoomId room) {
        TreeMap<String, Entry> users = rooms.get(room);
        if (users == null) return List.of();
        List<MemberSessions> members = new ArrayList<>();
        users.forEach((userId, first) -> {
            Entry entry = find(first, incarnation);
            if (entry != null) members.add(new MemberSessions(entry.member(userId), entry.sessions));
        });
        return members;
    }

    /** @param after a userId; null: start with the first user */
    RosterPage page(RoomId room, @Nullable String after, int limit) {
        TreeMap<String, Entry> users = rooms.get(room);
        if (users == null) return new RosterPage(0, List.of(), null);
        List<Member> page = new ArrayList<>(Math.min(limit, users.size()));
        Map<String, Entry> rest = after == null ? users : users.tailMap(after, false);
        for (Map.Entry<String, Entry> user : rest.entrySet()) {
            if (page.size() == limit)
                return new RosterPage(users.size(), page, page.getLast().userId());
            page.add(user.getValue().member(user.getKey()));
        }
        return new RosterPage(users.size(), page, null);
    }
}
