package chat.load.check;

import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What happened in one room; arrays and sets are indexed by the number within the room.
 *
 * @param outcomes what each sender knows
 * @param resent messages sent more than once: their order is free
 * @param announced positions as frames told them, 0 where none did
 * @param phantoms ids received that were never sent in this room, counted once per receiver
 * @param stored null where storage was not asked
 */
public record RoomHistory(
        String roomId,
        Outcome[] outcomes,
        BitSet resent,
        long[] announced,
        int phantoms,
        List<MemberHistory> members,
        @Nullable StoredRoom stored) {
    public RoomHistory withStored(@Nullable StoredRoom rows) {
        return new RoomHistory(roomId, outcomes, resent, announced, phantoms, members, rows);
    }
}
