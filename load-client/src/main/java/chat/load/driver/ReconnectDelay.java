package chat.load.driver;

import chat.load.plan.Backoff;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * When a client that has lost its connection comes back: at once where the server asks for that and the connection was
 * good, else later each time, until one has been good for a while. Confined to its group's event loop.
 */
final class ReconnectDelay {
    /** A connection that was welcomed so long ago makes good for earlier ones. */
    static final long STABLE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Backoff backoff;
    private final Random random;
    private int attempt;
    /** This connection, not an earlier one. */
    private boolean welcome;

    private long welcomeNanos;

    ReconnectDelay(Backoff backoff, Random random) {
        this.backoff = backoff;
        this.random = random;
    }

    /** A member of the connection is in its room. */
    void welcomed(long now) {
        if (welcome) return;
        welcome = true;
        welcomeNanos = now;
    }

    /** The connection has ended, or never came to be: how long to wait before the next, in milliseconds. */
    long millisAfter(Ending ending, long now) {
        if (welcome && now - welcomeNanos > STABLE_NANOS) attempt = 0;
        welcome = false;
        boolean atOnce = ending.reconnectAtOnce() && attempt == 0;
        long delay = atOnce ? 0 : backoff.delayMillis(attempt, random.nextDouble());
        attempt++;
        // Jitter besides what the server tells: it tells many the same.
        return ending.retryAfterMillis() + delay;
    }
}
