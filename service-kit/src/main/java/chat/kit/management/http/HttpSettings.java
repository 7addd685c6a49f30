package chat.kit.management.http;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.ConstructorBinding;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Limits the resources of HTTP clients on the public port; WebSockets have their own limits.
 *
 * @param maxConnections maximum number of connections, 16 to 1,000,000; beyond it the longest idle one is closed
 * @param inFlight maximum size of unread responses, 8 MB to 1 TB; beyond it requests get 503
 * @param writeDeadline time after which a response ends if the client has read nothing of it, 100 ms to 10 minutes
 */
@ConfigurationProperties("chat.http")
public record HttpSettings(int maxConnections, DataSize inFlight, Duration writeDeadline) {
    /** Longer than the pauses of a slow line; frees the memory of a client that has gone. */
    private static final Duration WRITE_DEADLINE = Duration.ofSeconds(15);

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
                    "writeDeadline must be 100ms to 10m, not " + writeDeadline.toMillis() + "ms");
    }

    @ConstructorBinding
    public HttpSettings(@DefaultValue("1000") int maxConnections, @DefaultValue("64MB") DataSize inFlight) {
        this(maxConnections, inFlight, WRITE_DEADLINE);
    }
}
