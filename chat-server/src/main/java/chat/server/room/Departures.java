package chat.server.room;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Sessions that have ended and still stand in a room: their LEAVEs are on the way, and one that never arrives would leave
 * a member that nobody is. Thread-safe.
 */
final class Departures {
    /** With the number of checks that found it there. */
    private final Map<Membership, Integer> awaited = new ConcurrentHashMap<>();

    void await(Membership membership) {
        awaited.put(membership, 0);
    }

    boolean areAwaited() {
        return !awaited.keySet().stream().allMatch(Membership::isOver);
    }

    /** A check: how many were found by the one before, and still stand in their rooms. */
    int overdue() {
        awaited.keySet().removeIf(Membership::isOver);
        awaited.replaceAll((membership, checks) -> checks + 1);
        return (int) awaited.values().stream().filter(checks -> checks > 1).count();
    }
}
