package chat.server.room;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * Sessions that have ended and still stand in a room: their LEAVEs are on the way, and one that never arrives would leave
 * a member that nobody is. Thread-safe.
 */
final class EndedSessions {
    /** With the time since which it is. */
    private final Map<Membership, Long> awaited = new ConcurrentHashMap<>();

    private final Duration longest;
    private final LongSupplier nanoTime;

    /**
     * @param longest that a LEAVE may be on its way
     * @param nanoTime as {@link System#nanoTime}
     */
    EndedSessions(Duration longest, LongSupplier nanoTime) {
        this.longest = longest;
        this.nanoTime = nanoTime;
    }

    void await(Membership membership) {
        awaited.put(membership, nanoTime.getAsLong());
    }

    boolean areAwaited() {
        return !awaited.keySet().stream().allMatch(Membership::isOver);
    }

    /** How many have stood in their rooms for longer than a LEAVE may take. */
    int overdue() {
        awaited.keySet().removeIf(Membership::isOver);
        long now = nanoTime.getAsLong();
        return (int) awaited.values().stream()
                .filter(since -> now - since > longest.toNanos())
                .count();
    }
}
