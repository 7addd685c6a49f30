package chat.server.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.DefaultChannelId;
import io.netty.channel.embedded.EmbeddedChannel;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class OpenConnectionsTest {
    private final OpenConnections connections = new OpenConnections();
    private final EmbeddedChannel one = new EmbeddedChannel(DefaultChannelId.newInstance());
    private final EmbeddedChannel other = new EmbeddedChannel(DefaultChannelId.newInstance());

    @Test
    void closedConnectionIsRemoved() {
        connections.add(one);
        connections.add(other);
        one.close();

        assertThat(connections.count()).isEqualTo(1);
        assertThat(other.isOpen()).isTrue();
    }

    @Test
    void allThatAreOpenAreClosedAndForgotten() {
        connections.add(one);
        connections.add(other);

        connections.closeAll(Duration.ofSeconds(10));

        assertThat(one.isOpen()).isFalse();
        assertThat(other.isOpen()).isFalse();
        assertThat(connections.count()).isZero();
    }
}
