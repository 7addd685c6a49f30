package chat.persistence.dashboard;

import java.time.Duration;
import java.util.List;

/**
 * Whom the dashboard asks.
 *
 * @param servers the chat servers, or names that stand for several, at most 64, each with a name of its own
 * @param timeout of one server's answer, 100 ms to 10 s
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

    /** @param servers each as {@link ServerAddress#parse} takes it */
    public static DashboardSettings of(List<String> servers, Duration timeout) {
        return new DashboardSettings(servers.stream().map(ServerAddress::parse).toList(), timeout);
    }
}
