package chat.server.presence;

import chat.protocol.Member;
import chat.protocol.RoomId;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiConsumer;

/**
 * By how many sessions what the log says of this server's own members differs from what is so; mostly not at all. Not
 * thread-safe.
 */
final class PresenceCorrections {
    private final Map<RoomId, Map<String, Missing>> rooms = new HashMap<>();

    private record Missing(Member member, int sessions) {}

    boolean isEmpty() {
        return rooms.isEmpty();
    }

    /** @param by sessions that the log has too few, negative: too many */
    void add(RoomId room, Member member, int by) {
        if (by == 0) return;
        Map<String, Missing> users = rooms.computeIfAbsent(room, unused -> new HashMap<>(2));
        Missing before = users.get(member.userId());
        int sessions = by + (before == null ? 0 : before.sessions());
        if (sessions == 0) users.remove(member.userId());
        else users.put(member.userId(), new Missing(member, sessions));
        if (users.isEmpty()) rooms.remove(room);
    }

    int of(RoomId room, String userId) {
        Map<String, Missing> users = rooms.get(room);
        Missing missing = users == null ? null : users.get(userId);
        return missing == null ? 0 : missing.sessions();
    }

    /** All rooms with something to correct. */
    Iterable<RoomId> rooms() {
        return rooms.keySet();
    }

    void forEach(RoomId room, BiConsumer<Member, Integer> member) {
        Map<String, Missing> users = rooms.get(room);
        if (users == null) return;
        users.values().forEach(missing -> member.accept(missing.member(), missing.sessions()));
    }
}
