package chat.log.breaker;

import java.time.Duration;

/**
 * When the breaker opens and closes.
 *
 * @param failures in a row that open it
 * @param open how long it stays open, at least; then it is tried as soon as the log can be reached
 * @param probes entries that must be confirmed in a row to close it
 * @param probeTimeout for the probes to be confirmed; beyond it the breaker opens again
 */
public record BreakerSettings(int failures, Duration open, int probes, Duration probeTimeout) {
    public static final BreakerSettings DEFAULT =
            new BreakerSettings(5, Duration.ofSeconds(2), 5, Duration.ofSeconds(2));

    public BreakerSettings {
        if (failures < 1 || failures > 1000 || probes < 1 || probes > 1000)
            throw new IllegalArgumentException("failures and probes must be 1 to 1000");
        if (open.toMillis() < 1 || probeTimeout.toMillis() < 1)
            throw new IllegalArgumentException("open and probeTimeout must be at least 1 ms");
    }
}
