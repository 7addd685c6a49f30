package chat.server.room;

import chat.log.NotStored;
import chat.protocol.RoomId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * The latest dead letters of one partition: messages that the consumer could not store. Numbers them in the order in
 * which they are read, starting with 1, so that a member's progress is a single number. Bounded: drops the oldest.
 * Confined to the partition's thread.
 */
final class RecentDeadLetters {
    /** Dead letters kept for members that reconnect. */
    private static final int MAX = 10_000;

    /** By position, in the order in which they were read. */
    private final Map<Long, DeadLetter> all = new LinkedHashMap<>();

    private final Map<RoomId, List<DeadLetter>> byRoom = new HashMap<>();
    private long newest;

    private record DeadLetter(long number, NotStored message) {}

    /** Returns false if the dead letter is known. */
    boolean add(NotStored message) {
        DeadLetter added = new DeadLetter(newest + 1, message);
        if (all.putIfAbsent(message.position(), added) != null) return false;
        newest = added.number;
        byRoom.computeIfAbsent(message.room(), unused -> new ArrayList<>()).add(added);
        if (all.size() > MAX) {
            DeadLetter oldest = all.remove(all.keySet().iterator().next());
            if (oldest != null) removeFromRoom(oldest);
        }
        return true;
    }

    private void removeFromRoom(DeadLetter removed) {
        RoomId room = removed.message.room();
        List<DeadLetter> ofRoom = byRoom.get(room);
        if (ofRoom == null) return;
        ofRoom.remove(removed);
        if (ofRoom.isEmpty()) byRoom.remove(room);
    }

    /** Returns the number of the newest dead letter; 0: none was read. */
    long newest() {
        return newest;
    }

    /** Returns the number of the room's newest dead letter; 0: there is none. */
    long newest(RoomId room) {
        List<DeadLetter> ofRoom = byRoom.get(room);
        return ofRoom == null ? 0 : ofRoom.getLast().number;
    }

    /** Returns the ids of a user's dead letters in a room that are newer than the given number, newest first. */
    List<UUID> after(long number, RoomId room, String userId) {
        List<UUID> ids = new ArrayList<>(0);
        for (DeadLetter letter : byRoom.getOrDefault(room, List.of()).reversed()) {
            if (letter.number <= number) break;
            if (letter.message.userId().equals(userId)) ids.add(letter.message.messageId());
        }
        return ids;
    }
}
