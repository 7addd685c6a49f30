package chat.server.limit;

import java.util.concurrent.atomic.AtomicInteger;

/** How many sockets this server holds at once. Thread-safe. */
public final class ConnectionLimit {
    private final int max;
    private final AtomicInteger current = new AtomicInteger();

    public ConnectionLimit(int max) {
        if (max < 1) throw new IllegalArgumentException("max connections must be at least 1");
        this.max = max;
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

    public int current() {
        return current.get();
    }

    public int max() {
        return max;
    }
}
