package chat.kit.identity;

import chat.protocol.RoomId;

/**
 * Holds a user's rights in rooms.
 *
 * @param open rooms that every user with a token may read and write
 * @param join rooms that the user may read
 * @param write rooms that the user may read and write
 */
public record RoomRights(RoomPatterns open, RoomPatterns join, RoomPatterns write) {

    /** Returns whether the user may join the room and read its history. */
    public boolean mayJoin(RoomId room) {
        return mayWrite(room) || join.match(room);
    }

    public boolean mayWrite(RoomId room) {
        return open.match(room) || write.match(room);
    }
}
