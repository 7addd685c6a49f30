package chat.load.driver;

import chat.load.plan.Backoff;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * Computes when a client reconnects: at once if the server requests it and the connection was stable, otherwise with
 * a growing delay until a connection has been stable for a while. Confined to its group's event loop.
 */
final class ReconnectDelay {
    /** A connection welcomed this long ago resets the delay. */
    static final long STABLE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Backoff backoff;
    private final Random random;
    private int attempt;
    /** Applies to the current connection only. */
    private boolean welcome;

    private long welcomeNanos;

    ReconnectDelay(Backoff backoff, Random random) {
        this.backoff = backoff;
        this.random = random;
    }

    /** A member of the connection has joined its room. */
    void welcomed(long now) {
        if (welcome) return;
        welcome = true;
        welcomeNanos = now;
    }

    /** Returns the wait before the next attempt, in milliseconds, after a connection ended or failed to open. */
    long millisAfter(Ending ending, long now) {
        if (welcome && now - welcomeNanos > STABLE_NANOS) attempt = 0;
        welcome = false;
        boolean atOnce = ending.reconnectAtOnce() && attempt == 0;
        long delay = atOnce ? 0 : backoff.delayMillis(attempt, random.nextDouble());
        attempt++;
        // Adds jitter: the server requests the same wait from many clients.
        return ending.retryAfterMillis() + delay;
    }
}
