package chat.server.admission;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Limits how many WebSockets this server holds at once. The handshake rule rejects clients while the server is full. A
 * session takes its slot only after the upgrade, so concurrent upgrades can still find no slot. Thread-safe.
 */
public final class ConnectionLimit implements HandshakeRule {
    /** The reason in metrics and responses. */
    public static final String FULL = "full";

    private final int max;
    private final Rejection full;
    private final AtomicInteger current = new AtomicInteger();

    /** @param retryAfter the time after which a rejected client may retry */
    public ConnectionLimit(int max, Duration retryAfter) {
        if (max < 1) throw new IllegalArgumentException("max connections must be at least 1");
        this.max = max;
        this.full = Rejection.unavailable(retryAfter, FULL);
    }

    @Override
    public @Nullable Rejection check(HandshakeRequest request) {
        return isFull() ? full : null;
    }

    @Override
    public List<String> reasons() {
        return List.of(FULL);
    }

    /** Takes a slot; {@link #release} returns it. */
    public boolean tryAcquire() {
        while (true) {
            int now = current.get();
            if (now >= max) return false;
            if (current.compareAndSet(now, now + 1)) return true;
        }
    }

    public void release() {
        current.decrementAndGet();
    }

    public boolean isFull() {
        return current.get() >= max;
    }

    public int current() {
        return current.get();
    }

    public int max() {
        return max;
    }
}
