package chat.server.room;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * Ended sessions whose LEAVEs have not been read back. A LEAVE that never arrives would leave a ghost member, which
 * {@link #overdue} makes visible. Thread-safe.
 */
final class EndedSessions {
    /** The time at which each session ended. */
    private final Map<Membership, Long> awaited = new ConcurrentHashMap<>();

    private final Duration longest;
    private final LongSupplier nanoTime;

    /**
     * @param longest time that a LEAVE may take
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

    /** Returns the number of sessions whose LEAVE takes longer than it may. */
    int overdue() {
        awaited.keySet().removeIf(Membership::isOver);
        long now = nanoTime.getAsLong();
        return (int) awaited.values().stream()
                .filter(since -> now - since > longest.toNanos())
                .count();
    }
}
