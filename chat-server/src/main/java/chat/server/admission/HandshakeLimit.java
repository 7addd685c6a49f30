package chat.server.admission;

import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.LongAdder;

/**
 * Limits how many handshakes are in progress at once: from the start of an upgrade until the server has answered on the
 * new socket. When many clients reconnect together, the server accepts as many as it can serve and asks the others to
 * retry, instead of letting all of them time out. Thread-safe.
 */
public final class HandshakeLimit {
    /** Handshakes rejected because too many were in progress. */
    public final LongAdder rejected = new LongAdder();

    private final HandshakeSettings settings;
    private final Semaphore permits;

    public HandshakeLimit(HandshakeSettings settings) {
        this.settings = settings;
        this.permits = new Semaphore(settings.max());
    }

    /** Takes a permit; {@link #release} returns it. */
    public boolean tryAcquire() {
        if (permits.tryAcquire()) return true;
        rejected.increment();
        return false;
    }

    public void release() {
        permits.release();
    }

    public int current() {
        return settings.max() - permits.availablePermits();
    }

    public HandshakeSettings settings() {
        return settings;
    }
}
