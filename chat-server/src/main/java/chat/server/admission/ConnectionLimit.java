package chat.server.admission;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * How many sockets this server holds at once. A full server says so at the door; a place is taken when the socket is there,
 * so that of several who come in at the same moment the last may still find none. Thread-safe.
 */
public final class ConnectionLimit implements HandshakeRule {
    /** The reason of its refusals. */
    public static final String FULL = "full";

    private final int max;
    private final Rejection full;
    private final AtomicInteger current = new AtomicInteger();

    /** @param retryAfter what those are told who find no place */
    public ConnectionLimit(int max, Duration retryAfter) {
        if (max < 1) throw new IllegalArgumentException("max connections must be at least 1");
        this.max = max;
        this.full = Rejection.unavailable(retryAfter, FULL);
    }

    @Override
    public @Nullable Rejection refuses(HandshakeRequest visit) {
        return isFull() ? full : null;
    }

    @Override
    public List<String> reasons() {
        return List.of(FULL);
    }

    /** Takes a place, which is given back by {@link #release}. */
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
