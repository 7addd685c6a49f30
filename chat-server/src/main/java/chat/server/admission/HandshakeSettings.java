package chat.server.admission;

import java.time.Duration;

/**
 * Limits concurrent handshakes.
 *
 * @param max handshakes in progress; the server rejects further ones
 * @param patience after this time a handshake no longer counts, even without a response, so idle clients cannot block
 *     others
 */
public record HandshakeSettings(int max, Duration patience) {
    public HandshakeSettings {
        if (max < 1) throw new IllegalArgumentException("max must be at least 1");
        if (patience.toMillis() < 100 || patience.compareTo(Duration.ofMinutes(1)) > 0)
            throw new IllegalArgumentException("patience must be 100 ms to 1 minute");
    }
}
