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
 * Which users are in which rooms, through which runs, by how many sessions. The number of a room's users is there at
 * once, a page of them in time of its length. Bounded. Not thread-safe.
 */
final class PresenceIndex {
    /** By number: ids are decimal without leading zeros. */
    private static final Comparator<String> BY_NUMBER =
            Comparator.comparingInt(String::length).thenComparing(Comparator.naturalOrder());

    private final int maxStays;
    private final LongAdder beyondBound;
    private final Map<RoomId, TreeMap<String, Stay>> rooms = new HashMap<>();
    private int stays;

    /** One user in one room through one run; mostly the only one. */
    private static final class Stay {
        final IncarnationState run;
        String username;

        @Nullable
        String displayName;

        int sessions;

        @Nullable
        Stay next;

        Stay(IncarnationState run, Member member, int sessions, @Nullable Stay next) {
            this.run = run;
            named(member);
            this.sessions = sessions;
            this.next = next;
        }

        final void named(Member member) {
            username = member.username();
            displayName = member.displayName();
        }

        /** The user's id is the key under which this is kept. */
        Member member(String userId) {
            return new Member(userId, username, displayName);
        }
    }

    /** What a change meant. */
    enum Effect {
        /** The user is in the room now, and was not. */
        CAME,
        /** The user is not in the room any more. */
        WENT,
        NONE
    }

    PresenceIndex(int maxStays, LongAdder beyondBound) {
        this.maxStays = maxStays;
        this.beyondBound = beyondBound;
    }

    /** Users and rooms and runs that belong together: what is bounded. */
    int stays() {
        return stays;
    }

    boolean isFull() {
        return stays >= maxStays;
    }

    /** Distinct users of a room. */
    int members(RoomId room) {
        TreeMap<String, Stay> users = rooms.get(room);
        return users == null ? 0 : users.size();
    }

    int sessions(RoomId room, String userId, IncarnationState run) {
        TreeMap<String, Stay> users = rooms.get(room);
        Stay stay = users == null ? null : find(users.get(userId), run);
        return stay == null ? 0 : stay.sessions;
    }

    /** One of the user's names there; null where the user is not in the room. */
    @Nullable
    Member member(RoomId room, String userId) {
        TreeMap<String, Stay> users = rooms.get(room);
        Stay stay = users == null ? null : users.get(userId);
        return stay == null ? null : stay.member(userId);
    }

    private static @Nullable Stay find(@Nullable Stay first, IncarnationState run) {
        for (Stay stay = first; stay != null; stay = stay.next) if (stay.run == run) return stay;
        return null;
    }

    /** From now on the user is in the room through that run by so many sessions. */
    Effect set(RoomId room, Member member, IncarnationState run, int sessions) {
        TreeMap<String, Stay> users = rooms.get(room);
        Stay first = users == null ? null : users.get(member.userId());
        Stay stay = find(first, run);
        if (stay != null && sessions > 0) {
            stay.sessions = sessions;
            stay.named(member);
            return Effect.NONE;
        }
        if (stay != null) return remove(room, member.userId(), stay);
        if (sessions <= 0) return Effect.NONE;
        if (isFull()) {
            beyondBound.increment();
            return Effect.NONE;
        }
        if (users == null) {
            users = new TreeMap<>(BY_NUMBER);
            rooms.put(room, users);
        }
        users.put(member.userId(), new Stay(run, member, sessions, first));
        stays++;
        run.counts(room, 1);
        return first == null ? Effect.CAME : Effect.NONE;
    }

    private Effect remove(RoomId room, String userId, Stay gone) {
        TreeMap<String, Stay> users = rooms.get(room);
        if (users == null) return Effect.NONE;
        stays--;
        gone.run.counts(room, -1);
        Stay rest = without(users.get(userId), gone);
        if (rest != null) {
            users.put(userId, rest);
            return Effect.NONE;
        }
        users.remove(userId);
        if (users.isEmpty()) rooms.remove(room);
        return Effect.WENT;
    }

    private static @Nullable Stay without(@Nullable Stay first, Stay gone) {
        if (first == gone) return gone.next;
        for (Stay stay = first; stay != null; stay = stay.next) if (stay.next == gone) stay.next = gone.next;
        return first;
    }

    /** Who is there through one run, in one room. */
    record Here(Member member, int sessions) {}

    List<Here> of(IncarnationState run, RoomId room) {
        TreeMap<String, Stay> users = rooms.get(room);
        if (users == null) return List.of();
        List<Here> here = new ArrayList<>();
        users.forEach((userId, first) -> {
            Stay stay = find(first, run);
            if (stay != null) here.add(new Here(stay.member(userId), stay.sessions));
        });
        return here;
    }

    /** @param after a userId; null: from the first on */
    RosterPage page(RoomId room, @Nullable String after, int limit) {
        TreeMap<String, Stay> users = rooms.get(room);
        if (users == null) return new RosterPage(0, List.of(), null);
        List<Member> page = new ArrayList<>(Math.min(limit, users.size()));
        Map<String, Stay> rest = after == null ? users : users.tailMap(after, false);
        for (Map.Entry<String, Stay> user : rest.entrySet()) {
            if (page.size() == limit)
                return new RosterPage(users.size(), page, page.getLast().userId());
            page.add(user.getValue().member(user.getKey()));
        }
        return new RosterPage(users.size(), page, null);
    }
}
