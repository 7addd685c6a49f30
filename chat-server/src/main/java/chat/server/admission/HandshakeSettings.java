package chat.server.admission;

import java.time.Duration;
import org.springframework.boot.context.properties.bind.ConstructorBinding;

/**
 * Limits concurrent handshakes.
 *
 * @param max maximum number of concurrent handshakes; beyond it upgrades get 503
 * @param patience after this time a handshake no longer counts, even without a response, so idle clients cannot block
 *     others
 */
public record HandshakeSettings(int max, Duration patience) {
    /** Longer than the slowest client needs, short enough that silent ones do not keep others out for long. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    public HandshakeSettings {
        if (max < 1) throw new IllegalArgumentException("max must be at least 1");
        if (patience.toMillis() < 100 || patience.compareTo(Duration.ofMinutes(1)) > 0)
            throw new IllegalArgumentException("patience must be 100 ms to 1 minute");
    }

    @ConstructorBinding
    public HandshakeSettings(int max) {
        this(max, PATIENCE);
    }
}
