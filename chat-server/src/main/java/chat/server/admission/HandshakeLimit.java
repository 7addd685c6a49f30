package chat.server.admission;

import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.LongAdder;

/**
 * How many handshakes are under way at once: from an upgrade's begin until its socket has been answered. A herd that comes
 * back is let in as fast as it can be served, and the rest told when to try again, instead of all of it timing out.
 * Thread-safe.
 */
public final class HandshakeLimit {
    /** Handshakes that found no place. */
    public final LongAdder refused = new LongAdder();

    private final HandshakeSettings settings;
    private final Semaphore places;

    public HandshakeLimit(HandshakeSettings settings) {
        this.settings = settings;
        this.places = new Semaphore(settings.max());
    }

    /** Takes a place, which is given back by {@link #release}. */
    public boolean tryAcquire() {
        if (places.tryAcquire()) return true;
        refused.increment();
        return false;
    }

    public void release() {
        places.release();
    }

    public int current() {
        return settings.max() - places.availablePermits();
    }

    public HandshakeSettings settings() {
        return settings;
    }
}
