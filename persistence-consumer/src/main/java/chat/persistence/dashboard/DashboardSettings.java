package chat.persistence.dashboard;

import java.time.Duration;
import java.util.List;

/**
 * Settings of the dashboard.
 *
 * @param servers the chat servers, or host names that resolve to several, at most 64, with unique names
 * @param timeout for one server's response, 100 ms to 10 s
 */
public record DashboardSettings(List<ServerAddress> servers, Duration timeout) {
    static final int MAX_SERVERS = 64;

    public DashboardSettings {
        servers = List.copyOf(servers);
        if (servers.size() > MAX_SERVERS)
            throw new IllegalArgumentException(
                    "chat.dashboard.servers must be at most " + MAX_SERVERS + ", not " + servers.size());
        if (servers.stream().map(ServerAddress::name).distinct().count() < servers.size())
            throw new IllegalArgumentException("chat.dashboard.servers must have different names");
        if (timeout.compareTo(Duration.ofMillis(100)) < 0 || timeout.compareTo(Duration.ofSeconds(10)) > 0)
            throw new IllegalArgumentException("chat.dashboard.timeout must be PT0.1S to PT10S, not " + timeout);
    }

    /** @param servers each in the format of {@link ServerAddress#parse} */
    public static DashboardSettings of(List<String> servers, Duration timeout) {
        return new DashboardSettings(servers.stream().map(ServerAddress::parse).toList(), timeout);
    }
}
