package chat.persistence.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.UnknownHostException;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class ServersTest {
    @Test
    void unresolvedNameIsShownWithTheReason() {
        Duration timeout = Duration.ofSeconds(10);
        Servers servers = new Servers(
                new DashboardSettings(List.of(ServerAddress.parse("nobody=dns+http://chat-servers:1")), timeout),
                host -> {
                    throw new UnknownHostException(host);
                },
                new SimpleMeterRegistry(),
                Clock.systemUTC());
        assertThat(servers.latest().block(timeout))
                .containsExactly(
                        new Servers.Known("nobody", "http://chat-servers:1", null, "the name has no address", null));
    }
}
