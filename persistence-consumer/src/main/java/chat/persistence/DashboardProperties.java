package chat.persistence;

import chat.persistence.dashboard.DashboardSettings;
import java.time.Duration;
import java.util.List;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Servers that the dashboard queries; {@code persistence-consumer.yml} shows the defaults.
 *
 * @param servers management addresses of the chat servers, each {@code name=http://host:port} or without a name, at
 *     most 64
 * @param timeout for one server's response, 100 ms to 10 s
 */
@ConfigurationProperties("chat.dashboard")
record DashboardProperties(
        @DefaultValue List<String> servers,
        @DefaultValue("2s") Duration timeout) {
    DashboardProperties {
        DashboardSettings unused = DashboardSettings.of(servers, timeout);
    }

    DashboardSettings settings() {
        return DashboardSettings.of(servers, timeout);
    }
}
