package chat.kit.management.http;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Limits the resources of HTTP clients on the public port; WebSockets have their own limits.
 *
 * @param maxConnections at once, 16 to 1,000,000; beyond it the longest idle one is closed
 * @param inFlight bytes of all responses that clients have not taken yet, 8 MB to 1 TB; beyond it a request is answered
 *     with 503, and the oldest responses are cut off
 * @param writeDeadline after which a response ends of which the client has taken nothing, 100 ms to 10 minutes
 */
@ConfigurationProperties("chat.http")
public record HttpSettings(
        @DefaultValue("1000") int maxConnections,
        @DefaultValue("64MB") DataSize inFlight,
        @DefaultValue("15s") Duration writeDeadline) {
    private static final Duration SHORTEST = Duration.ofMillis(100);
    private static final Duration LONGEST = Duration.ofMinutes(10);

    public HttpSettings {
        if (maxConnections < 16 || maxConnections > 1_000_000)
            throw new IllegalArgumentException(
                    "chat.http.max-connections must be 16 to 1000000, not " + maxConnections);
        if (inFlight.toMegabytes() < 8 || inFlight.toTerabytes() > 1)
            throw new IllegalArgumentException("chat.http.in-flight must be 8MB to 1TB, not " + inFlight);
        if (writeDeadline.compareTo(SHORTEST) < 0 || writeDeadline.compareTo(LONGEST) > 0)
            throw new IllegalArgumentException(
                    "chat.http.write-deadline must be 100ms to 10m, not " + writeDeadline.toMillis() + "ms");
    }
}
