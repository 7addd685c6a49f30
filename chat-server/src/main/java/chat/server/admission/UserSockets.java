package chat.server.admission;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Limits how many WebSockets each user holds at once. A connection takes its slot before the upgrade and keeps it until
 * it closes, so concurrent upgrades cannot exceed the limit. Thread-safe.
 */
public final class UserSockets {
    /** The reason in metrics and responses. */
    public static final String REASON = "user-sockets";

    private final int max;
    private final Rejection tooMany;
    private final Map<String, Integer> held = new ConcurrentHashMap<>();

    /**
     * @param max 0: not limited
     * @param retryAfter the time after which a rejected client may retry
     */
    public UserSockets(int max, Duration retryAfter) {
        this.max = max;
        this.tooMany = Rejection.tooMany(retryAfter, REASON)
                .with("a user may hold " + max + " sockets on a server (CHAT_SERVER_USERLIMITS_SOCKETS)");
    }

    /** Returns a rejection if the user has no free slot, else null. Takes no slot. */
    public @Nullable Rejection check(String user) {
        return max > 0 && held.getOrDefault(user, 0) >= max ? tooMany : null;
    }

    /** The rejection to send if {@link #tryAcquire} returns false. */
    public Rejection rejection() {
        return tooMany;
    }

    /** Takes a slot; {@link #release} returns it. */
    public boolean tryAcquire(String user) {
        if (max == 0 || held.merge(user, 1, Integer::sum) <= max) return true;
        release(user);
        return false;
    }

    public void release(String user) {
        if (max > 0) held.computeIfPresent(user, (unused, now) -> now == 1 ? null : now - 1);
    }

    /** Users with at least one socket; 0 if nothing is limited. */
    public int users() {
        return held.size();
    }
}
