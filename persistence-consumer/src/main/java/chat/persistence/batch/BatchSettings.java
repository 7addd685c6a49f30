package chat.persistence.batch;

import java.time.Duration;

/**
 * When a batch is closed.
 *
 * @param size messages after which it is closed, 1 to 100,000; entries are never split, so the last one can bring up to
 *     2,047 more
 * @param age of its oldest message, since it was read, after which it is closed; 1 ms to 1 minute
 * @param positionInterval after which the position is written though there was no message; 100 ms to 10 minutes
 */
public record BatchSettings(int size, Duration age, Duration positionInterval) {
    public BatchSettings {
        if (size < 1 || size > 100_000)
            throw new IllegalArgumentException("batch size must be 1 to 100000, not " + size);
        require("batch age", age, Duration.ofMillis(1), Duration.ofMinutes(1));
        require("position interval", positionInterval, Duration.ofMillis(100), Duration.ofMinutes(10));
    }

    private static void require(String what, Duration value, Duration min, Duration max) {
        if (value.compareTo(min) < 0 || value.compareTo(max) > 0)
            throw new IllegalArgumentException(what + " must be " + min + " to " + max + ", not " + value);
    }
}
