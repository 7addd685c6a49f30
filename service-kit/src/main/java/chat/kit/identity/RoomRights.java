package chat.kit.identity;

import chat.protocol.RoomId;

/**
 * What somebody may do in which rooms.
 *
 * @param open rooms in which everybody may read and write who has a token at all
 * @param join rooms that it may read
 * @param write rooms that it may read and speak in
 */
public record RoomRights(RoomPatterns open, RoomPatterns join, RoomPatterns write) {

    /** Whether it may be in the room, and read its past. */
    public boolean mayJoin(RoomId room) {
        return mayWrite(room) || join.match(room);
    }

    public boolean mayWrite(RoomId room) {
        return open.match(room) || write.match(room);
    }
}
