package chat.load.query;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * What there is to ask about: questions about nothing are answered too fast to mean anything.
 *
 * @param from the first message's time
 * @param to just after the last one's
 */
record Known(List<Room> rooms, List<String> users, Instant from, Instant to) {

    /**
     * @param first the first message's position
     * @param last the last message's position
     * @param from the first message's time
     * @param to just after the last one's
     */
    record Room(String roomId, long first, long last, Instant from, Instant to) {}

    Duration span() {
        return Duration.between(from, to);
    }
}
