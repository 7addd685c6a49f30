package chat.server.room;

import chat.log.LineFields;
import chat.log.LogEntry;
import chat.protocol.RoomId;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rooms of one partition that this server has in memory. Counts the rooms without local members and the bytes of
 * recent messages, and evicts the least recently used beyond their bounds. Confined to the partition's thread, except
 * for {@link #knows}.
 */
final class RoomTable {
    private static final Logger logger = LoggerFactory.getLogger(RoomTable.class);

    private final RoomSettings settings;
    private final RoomCounters counters;
    /** Least recently used first. */
    private final Map<RoomId, Room> rooms = new LinkedHashMap<>(64, 0.75f, true);

    /** The keys of {@link #rooms}, readable by any thread. */
    private final Set<RoomId> known = ConcurrentHashMap.newKeySet();

    private int emptyRooms;
    private long recentBytes;
    /** Memory has no messages up to this position of rooms that are not in {@link #rooms}. */
    private long nothingBefore = -1;

    private long lastPosition;

    RoomTable(RoomSettings settings, RoomCounters counters) {
        this.settings = settings;
        this.counters = counters;
    }

    /** Whether the room is in memory. Any thread. */
    boolean knows(RoomId id) {
        return known.contains(id);
    }

    /** Returns null if the room is not in memory. */
    @Nullable
    Room find(RoomId id) {
        return rooms.get(id);
    }

    /** Returns null if the room has no members on this server. */
    @Nullable
    Room withMembers(RoomId id) {
        Room room = rooms.get(id);
        return room != null && room.memberships() > 0 ? room : null;
    }

    /** Whether the room has members on this server. */
    boolean hasMembers(RoomId id) {
        return withMembers(id) != null;
    }

    /**
     * Adds a room that is not in memory.
     *
     * @param members returns the number of distinct users in the room, on all servers
     */
    Room add(RoomId id, IntSupplier members) {
        Room room = new Room(id, settings, nothingBefore, members);
        rooms.put(id, room);
        known.add(id);
        emptyRooms++;
        return room;
    }

    /** The number of rooms with members on this server. */
    int activeRooms() {
        return rooms.size() - emptyRooms;
    }

    /** Whether members that have left a room still receive earlier messages. */
    boolean hasDepartedMembersCatchingUp() {
        return rooms.values().stream().anyMatch(Room::hasDepartedMembersCatchingUp);
    }

    /** Counts the member, whose JOIN was read back. */
    void admit(Room room, Membership membership) {
        if (room.memberships() == 0) emptyRooms--;
        room.admit(membership);
        counters.memberships.increment();
    }

    /** Stops counting the member. Returns whether it was counted before. */
    boolean remove(Room room, Membership membership) {
        int before = room.memberships();
        room.remove(membership);
        counters.memberships.add(room.memberships() - before);
        if (before > 0 && room.memberships() == 0) emptyRooms++;
        return room.memberships() < before;
    }

    /** Handles the positions of the next entry, before its messages are delivered. */
    void read(LogEntry entry) {
        if (nothingBefore < 0) nothingBefore = entry.position(0) - 1;
        lastPosition = entry.lastPosition();
    }

    /** Keeps new messages in the room's memory. {@link #evictBeyondBounds} must follow. */
    void keep(Room room, List<RecentMessage> messages) {
        for (RecentMessage message : messages) recentBytes += room.recent().add(message);
    }

    /** Drops messages of the room up to a position from memory. */
    void dropUpTo(Room room, long position) {
        recentBytes -= room.recent().dropUpTo(position);
    }

    /** Drops all messages of all rooms, because messages up to a position are missing. */
    void dropAll(long upTo) {
        nothingBefore = Math.max(nothingBefore, upTo);
        lastPosition = Math.max(lastPosition, upTo);
        for (Room room : rooms.values()) recentBytes -= room.recent().clear(upTo);
    }

    /** Takes a step for each room; if it fails, abandons that room. The step must not add or find rooms. */
    void forEach(Consumer<Room> step) {
        for (Room room : rooms.values()) {
            try {
                step.accept(room);
            } catch (RuntimeException | Error failure) {
                abandon(room, failure);
            }
        }
    }

    /**
     * Closes the sessions of a room whose delivery failed; other rooms go on. Its members may have received some of the
     * messages, and memory may have a gap: they reconnect and resume from the history.
     */
    void abandon(Room room, Throwable failure) {
        logger.atError()
                .addKeyValue(LineFields.ROOM, room.id())
                .addKeyValue(LineFields.POSITION, lastPosition)
                .setCause(failure)
                .log("delivery to room {} failed: closing its sessions on this server", room.id());
        recentBytes -= room.recent().clear(lastPosition);
        room.abandon();
    }

    /**
     * Evicts messages and rooms without members if there are too many; must be called after each entry with messages.
     */
    void evictBeyondBounds() {
        if (recentBytes <= settings.partitionBytes() && emptyRooms <= settings.emptyRooms()) return;
        // Evicts an eighth more than necessary, so that this loop runs rarely.
        long wantedBytes = settings.partitionBytes() / 8 * 7;
        int wantedRooms = settings.emptyRooms() / 8 * 7;
        Iterator<Room> leastUsedFirst = rooms.values().iterator();
        while (leastUsedFirst.hasNext() && (recentBytes > wantedBytes || emptyRooms > wantedRooms)) {
            Room room = leastUsedFirst.next();
            boolean empty = room.memberships() == 0;
            if (!empty && recentBytes <= wantedBytes) continue;
            int freed = room.recent().clear(lastPosition);
            recentBytes -= freed;
            // A member that joins again must find the departed members that still catch up.
            if (!empty || room.hasDepartedMembersCatchingUp()) {
                if (freed > 0) counters.recentForgotten.increment();
                continue;
            }
            counters.emptyForgotten.increment();
            leastUsedFirst.remove();
            known.remove(room.id());
            emptyRooms--;
            nothingBefore = Math.max(nothingBefore, lastPosition);
        }
    }
}
