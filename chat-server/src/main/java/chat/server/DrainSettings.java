package chat.server;

import java.time.Duration;

/**
 * Configures how the server stops.
 *
 * @param announce time that {@code /health} reports the stop before the server closes anything
 * @param timeout time limit of everything after the announcement, above 800 ms
 */
record DrainSettings(Duration announce, Duration timeout) {
    /** Time over which sockets are closed, so that their clients do not reconnect all at once. */
    static final Duration SPREAD = Duration.ofMillis(800);

    DrainSettings {
        if (announce.isNegative()) throw new IllegalArgumentException("announce must not be negative");
        if (timeout.compareTo(SPREAD) <= 0)
            throw new IllegalArgumentException("timeout must be longer than " + SPREAD.toMillis() + " ms");
    }
}
