package chat.persistence.batch;

import java.time.Duration;
import java.util.function.DoubleSupplier;

/**
 * Waits between attempts: each twice the one before, up to a bound, and up to a quarter longer by chance, so that many
 * who failed together do not come back together. Not thread-safe.
 */
public final class Backoff {
    /**
     * @param min the first wait, at least 1 ms
     * @param max that no wait exceeds but by chance, at most 5 minutes
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

    /** How long to wait before the next attempt. */
    public Duration next() {
        Duration wait = next;
        Duration doubled = next.multipliedBy(2);
        next = doubled.compareTo(settings.max()) > 0 ? settings.max() : doubled;
        return wait.plusNanos((long) (wait.toNanos() * random.getAsDouble() / 4));
    }

    /** It has worked: the next failure waits briefly again. */
    public void reset() {
        next = settings.min();
    }
}
