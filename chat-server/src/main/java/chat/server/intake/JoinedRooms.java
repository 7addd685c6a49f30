package chat.server.intake;

import chat.protocol.RoomId;
import chat.server.room.Membership;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Tracks the rooms that one session is in, or is joining. Confined to the session's event loop. */
final class JoinedRooms {
    private final int maxRooms;
    private final LongSupplier nanoTime;
    private final Map<RoomId, Membership> memberships = new HashMap<>(2);
    /** Rooms whose last JOIN failed but may be retried: frames sent behind it are not the client's fault. */
    private Set<RoomId> retryableJoins = Set.of();

    private long lastInRoomNanos;

    JoinedRooms(int maxRooms, LongSupplier nanoTime) {
        this.maxRooms = maxRooms;
        this.nanoTime = nanoTime;
        this.lastInRoomNanos = nanoTime.getAsLong();
    }

    @Nullable
    Membership of(RoomId room) {
        return memberships.get(room);
    }

    /** A snapshot of the memberships. */
    List<Membership> all() {
        return List.copyOf(memberships.values());
    }

    boolean isEmpty() {
        return memberships.isEmpty();
    }

    boolean isFull() {
        return memberships.size() >= maxRooms;
    }

    /** Adds a membership whose JOIN was handed to the log. */
    void joined(Membership membership) {
        memberships.put(membership.room(), membership);
        if (!retryableJoins.isEmpty()) retryableJoins.remove(membership.room());
    }

    /** Records that a JOIN failed and may be retried. */
    void joinFailed(RoomId room) {
        inRoomNow(); // a session that tries to join is not idle
        if (retryableJoins.isEmpty()) retryableJoins = new HashSet<>(2);
        if (retryableJoins.size() < maxRooms) retryableJoins.add(room);
    }

    boolean mayRetryJoin(RoomId room) {
        return retryableJoins.contains(room);
    }

    /** Removes the membership of a room that the session leaves. */
    void left(RoomId room) {
        memberships.remove(room);
        inRoomNow();
    }

    /** Removes this membership; returns false if the session has left the room, or has joined it again. */
    boolean remove(Membership membership) {
        return memberships.remove(membership.room(), membership);
    }

    /** Adds a membership whose LEAVE failed; returns false if the session has joined the room again. */
    boolean restore(Membership membership) {
        return memberships.putIfAbsent(membership.room(), membership) == null;
    }

    /** Restarts the time without a room. */
    void inRoomNow() {
        lastInRoomNanos = nanoTime.getAsLong();
    }

    /** Milliseconds since the session was last in a room; 0 while it is in one. */
    long millisWithoutRoom() {
        if (!memberships.isEmpty()) return 0;
        return TimeUnit.NANOSECONDS.toMillis(nanoTime.getAsLong() - lastInRoomNanos);
    }
}
