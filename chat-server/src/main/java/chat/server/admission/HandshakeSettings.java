package chat.server.admission;

import java.time.Duration;

/**
 * How many may be coming in at once.
 *
 * @param max handshakes under way; further ones are refused
 * @param patience after which one counts as under way no more, though it has no answer: who says nothing keeps nobody out
 */
public record HandshakeSettings(int max, Duration patience) {
    public HandshakeSettings {
        if (max < 1) throw new IllegalArgumentException("max must be at least 1");
        if (patience.toMillis() < 100 || patience.compareTo(Duration.ofMinutes(1)) > 0)
            throw new IllegalArgumentException("patience must be 100 ms to 1 minute");
    }
}
