package chat.load.check;

import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Records one room's events. Arrays and sets are indexed by the number within the room.
 *
 * @param from position that all messages of the run come after; 0 if unknown
 * @param outcomes what each sender knows
 * @param resent messages sent more than once; their order is not checked
 * @param announced positions from frames, 0 if none
 * @param phantoms ids received that were never sent in this room, counted once per receiver
 * @param stored null if storage is not checked
 */
public record RoomHistory(
        String roomId,
        long from,
        Outcome[] outcomes,
        BitSet resent,
        long[] announced,
        int phantoms,
        List<MemberHistory> members,
        @Nullable StoredRoom stored) {
    public RoomHistory withStored(@Nullable StoredRoom rows) {
        return new RoomHistory(roomId, from, outcomes, resent, announced, phantoms, members, rows);
    }
}
