package chat.persistence.batch;

import java.time.Duration;

/**
 * Limits that close a batch.
 *
 * @param size number of messages, 1 to 100,000; entries are never split, so the last one can add up to 2,047 more
 * @param age time since the oldest message was read, 1 ms to 1 minute
 * @param positionInterval time after which the position is written although no message was read, 100 ms to 10 minutes
 */
public record BatchSettings(int size, Duration age, Duration positionInterval) {
    /** Often enough that a consumer that takes over reads little again, rare enough for an idle database. */
    private static final Duration POSITION_INTERVAL = Duration.ofSeconds(10);

    public BatchSettings {
        if (size < 1 || size > 100_000)
            throw new IllegalArgumentException("batch size must be 1 to 100000, not " + size);
        require("batch age", age, Duration.ofMillis(1), Duration.ofMinutes(1));
        require("position interval", positionInterval, Duration.ofMillis(100), Duration.ofMinutes(10));
    }

    /** Creates the settings of production, in which the position interval is a constant. */
    public BatchSettings(int size, Duration age) {
        this(size, age, POSITION_INTERVAL);
    }

    private static void require(String what, Duration value, Duration min, Duration max) {
        if (value.compareTo(min) < 0 || value.compareTo(max) > 0)
            throw new IllegalArgumentException(what + " must be " + min + " to " + max + ", not " + value);
    }
}
