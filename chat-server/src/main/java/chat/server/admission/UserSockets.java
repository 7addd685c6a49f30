package chat.server.admission;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * How many sockets each user holds at once. A socket takes its place before the upgrade and keeps it as long as its connection:
 * of several that are opened at the same moment those beyond the limit are refused like any other. Thread-safe.
 */
public final class UserSockets {
    /** The reason of its refusals. */
    public static final String REASON = "user-sockets";

    private final int max;
    private final Rejection tooMany;
    private final Map<String, Integer> held = new ConcurrentHashMap<>();

    /**
     * @param max 0: not limited
     * @param retryAfter the time after which a refused client may try again
     */
    public UserSockets(int max, Duration retryAfter) {
        this.max = max;
        this.tooMany = Rejection.tooMany(retryAfter, REASON)
                .with("a user may hold " + max + " sockets on a server (CHAT_SERVER_USERLIMITS_SOCKETS)");
    }

    /** Why the user gets no further socket now; null: it does. */
    public @Nullable Rejection refuses(String user) {
        return max > 0 && held.getOrDefault(user, 0) >= max ? tooMany : null;
    }

    /** The answer where {@link #tryAcquire} finds no place. */
    public Rejection refusal() {
        return tooMany;
    }

    /** Takes a place, which is given back by {@link #release}. */
    public boolean tryAcquire(String user) {
        if (max == 0 || held.merge(user, 1, Integer::sum) <= max) return true;
        release(user);
        return false;
    }

    public void release(String user) {
        if (max > 0) held.computeIfPresent(user, (unused, now) -> now == 1 ? null : now - 1);
    }

    /** Users that hold sockets; 0 where nothing is limited. */
    public int users() {
        return held.size();
    }
}
