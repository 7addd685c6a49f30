package chat.log.breaker;

import java.time.Duration;

/**
 * Settings of the circuit breaker.
 *
 * @param failures consecutive failures that open it
 * @param open minimum time that it stays open; it becomes half open as soon as the log can be reached after that
 * @param probes consecutive confirmed entries that close it
 * @param probeTimeout time without an answer to a probe after which it opens again
 */
public record BreakerSettings(int failures, Duration open, int probes, Duration probeTimeout) {
    /**
     * The values of production. One failure is a lost connection, which the next attempt replaces; five in a row are a
     * broker that is down. One confirmed probe can be luck on an overloaded broker. A healthy log confirms far within 2 s.
     */
    public static final BreakerSettings DEFAULT =
            new BreakerSettings(5, Duration.ofSeconds(2), 5, Duration.ofSeconds(2));

    public BreakerSettings {
        if (failures < 1 || failures > 1000 || probes < 1 || probes > 1000)
            throw new IllegalArgumentException("failures and probes must be 1 to 1000");
        if (open.toMillis() < 1 || probeTimeout.toMillis() < 1)
            throw new IllegalArgumentException("open and probeTimeout must be at least 1 ms");
    }
}
