package chat.server.presence;

import chat.protocol.Member;
import chat.protocol.RoomId;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiConsumer;

/**
 * Differences between the session counts that the log implies for this server's members and the actual counts; usually
 * empty. Not thread-safe.
 */
final class PresenceCorrections {
    private final Map<RoomId, Map<String, Missing>> rooms = new HashMap<>();

    private record Missing(Member member, int sessions) {}

    boolean isEmpty() {
        return rooms.isEmpty();
    }

    /** @param by number of sessions missing from the log; negative: sessions the log has in excess */
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

    /** All rooms that need a correction. */
    Iterable<RoomId> rooms() {
        return rooms.keySet();
    }

    void forEach(RoomId room, BiConsumer<Member, Integer> member) {
        Map<String, Missing> users = rooms.get(room);
        if (users == null) return;
        users.values().forEach(missing -> member.accept(missing.member(), missing.sessions()));
    }
}
