package chat.load.driver;

import java.util.List;

/** Which ids were sent in which room, once the run is over. */
public final class SentIds {
    private final List<RoomIds> rooms;

    SentIds(List<RoomIds> rooms) {
        this.rooms = List.copyOf(rooms);
    }

    /** @return the number within the room, or -1 for an id that was not sent in it */
    int number(int room, long high, long low) {
        return rooms.get(room).number(high, low);
    }
}
