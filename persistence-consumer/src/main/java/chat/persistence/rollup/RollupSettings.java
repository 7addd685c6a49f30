package chat.persistence.rollup;

import java.time.Duration;

/**
 * How often roll-ups are brought up to date.
 *
 * @param fold between two folds, 100 ms to 1 minute: so old are figures that come from roll-ups
 * @param refresh between two refreshes of the materialized views, 1 s to 1 day: so old are figures that come from them
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
