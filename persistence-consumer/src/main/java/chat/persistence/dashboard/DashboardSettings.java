package chat.persistence.dashboard;

import java.time.Duration;
import java.util.List;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.ConstructorBinding;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of the dashboard.
 *
 * @param servers management addresses of chat servers, {@code name=http://host:port} or {@code http://host:port}, at most 64
 * @param timeout for one server's response, 100 ms to 10 s
 */
@ConfigurationProperties("chat.dashboard")
public record DashboardSettings(List<ServerAddress> servers, Duration timeout) {
    static final int MAX_SERVERS = 64;

    /** Far longer than a healthy server takes, shorter than the interval of the page. */
    private static final Duration TIMEOUT = Duration.ofSeconds(2);

    public DashboardSettings {
        servers = List.copyOf(servers);
        if (servers.size() > MAX_SERVERS)
            throw new IllegalArgumentException(
                    "chat.dashboard.servers must be at most " + MAX_SERVERS + ", not " + servers.size());
        if (servers.stream().map(ServerAddress::name).distinct().count() < servers.size())
            throw new IllegalArgumentException("chat.dashboard.servers must have different names");
        if (timeout.compareTo(Duration.ofMillis(100)) < 0 || timeout.compareTo(Duration.ofSeconds(10)) > 0)
            throw new IllegalArgumentException("timeout must be PT0.1S to PT10S, not " + timeout);
    }

    /** @param servers each in the format of {@link ServerAddress#parse} */
    @ConstructorBinding
    public DashboardSettings(@DefaultValue List<String> servers) {
        this(servers.stream().map(ServerAddress::parse).toList(), TIMEOUT);
    }
}
