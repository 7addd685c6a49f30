package chat.load.driver;

import java.util.List;

/** Holds the ids sent in each room, after the run. */
public final class SentIds {
    private final List<RoomIds> rooms;

    SentIds(List<RoomIds> rooms) {
        this.rooms = List.copyOf(rooms);
    }

    /** @return the number within the room, or -1 if the id was not sent in it */
    int number(int room, long high, long low) {
        return rooms.get(room).number(high, low);
    }

    /** Whether a message with this id may be of another client or run. */
    boolean mayBeOthers(int room, long high, long low) {
        return rooms.get(room).mayBeOthers(high, low);
    }
}
