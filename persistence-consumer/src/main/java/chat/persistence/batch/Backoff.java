package chat.persistence.batch;

import java.time.Duration;
import java.util.function.DoubleSupplier;

/**
 * Computes delays between attempts: each is twice the one before, up to a maximum, plus up to a quarter of random
 * jitter, so that clients that failed together do not retry together. Not thread-safe.
 */
public final class Backoff {
    /**
     * @param min first delay, at least 1 ms
     * @param max longest delay before jitter, at most 5 minutes
     */
    public record Settings(Duration min, Duration max) {
        public Settings {
            if (min.compareTo(Duration.ofMillis(1)) < 0 || min.compareTo(max) > 0)
                throw new IllegalArgumentException("the first wait must be 1 ms to the longest, not " + min);
            if (max.compareTo(Duration.ofMinutes(5)) > 0)
                throw new IllegalArgumentException("the longest wait must be at most 5 minutes, not " + max);
        }
    }

    private final Settings settings;
    private final DoubleSupplier random;
    private Duration next;

    /** @param random from 0 to 1, exclusive */
    public Backoff(Settings settings, DoubleSupplier random) {
        this.settings = settings;
        this.random = random;
        this.next = settings.min();
    }

    /** Delay before the next attempt. */
    public Duration next() {
        Duration wait = next;
        Duration doubled = next.multipliedBy(2);
        next = doubled.compareTo(settings.max()) > 0 ? settings.max() : doubled;
        return wait.plusNanos((long) (wait.toNanos() * random.getAsDouble() / 4));
    }

    /** Resets the delay after a success. */
    public void reset() {
        next = settings.min();
    }
}
