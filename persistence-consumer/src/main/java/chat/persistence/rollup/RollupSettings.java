package chat.persistence.rollup;

import java.time.Duration;

/**
 * Update intervals of the roll-ups and views.
 *
 * @param fold time between two folds, the maximum age of figures from roll-ups; 100 ms to 1 minute
 * @param refresh time between two refreshes, the maximum age of figures from materialized views; 1 s to 1 day
 */
public record RollupSettings(Duration fold, Duration refresh) {
    public RollupSettings {
        require("fold", fold, Duration.ofMillis(100), Duration.ofMinutes(1));
        require("refresh", refresh, Duration.ofSeconds(1), Duration.ofDays(1));
    }

    private static void require(String name, Duration value, Duration min, Duration max) {
        if (value.compareTo(min) < 0 || value.compareTo(max) > 0)
            throw new IllegalArgumentException(
                    "chat.analytics." + name + " must be " + min + " to " + max + ", not " + value);
    }
}
