package chat.load.lab.query;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * Existing rooms, users and times to ask about: queries without results would be unrealistically fast.
 *
 * @param from the first message's time
 * @param to just after the last message's time
 */
record Known(List<Room> rooms, List<String> users, Instant from, Instant to) {

    /**
     * @param first the first message's position
     * @param last the last message's position
     * @param from the first message's time
     * @param to just after the last message's time
     */
    record Room(String roomId, long first, long last, Instant from, Instant to) {}

    Duration span() {
        return Duration.between(from, to);
    }
}
