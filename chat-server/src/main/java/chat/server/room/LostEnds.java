package chat.server.room;

import chat.log.LineFields;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends a GAP to the members of one partition's rooms if the log has lost its end: the consumer has stored, or a member
 * has received, positions that this log does not have. Confined to the partition's thread.
 */
final class LostEnds {
    private static final Logger logger = LoggerFactory.getLogger(LostEnds.class);

    private final RoomTable rooms;
    private final Epochs epochs;

    /** @param epochs of the log, as far as it was read */
    LostEnds(RoomTable rooms, Epochs epochs) {
        this.rooms = rooms;
        this.epochs = epochs;
    }

    /** Handles a position that the consumer has stored. */
    void stored(long position) {
        Epochs.Hole hole = epochs.provenBy(position);
        if (hole == null || !hole.markLossy()) return;
        logger.atWarn()
                .addKeyValue(LineFields.POSITION, hole.from())
                .addKeyValue(LineFields.POSITION_TO, hole.to())
                .log("the log lost its end before this server started: gap from {} to {}", hole.from(), hole.to());
        rooms.forEach(room -> emit(room, hole));
    }

    /** Marks a lost end of the log for a room: the position of one of its members proves it, or is forged. */
    void received(Room room, Epochs.Hole hole) {
        if (room.hasLost(hole)) return;
        room.markLost(hole);
        try {
            emit(room, hole);
        } catch (RuntimeException | Error failure) {
            rooms.abandon(room, failure);
        }
    }

    /** Live members receive the GAP at once; a client that resumes from before it receives it between the messages. */
    private void emit(Room room, Epochs.Hole hole) {
        rooms.dropUpTo(room, hole.to());
        room.emitGap(hole.from(), hole.to());
    }
}
