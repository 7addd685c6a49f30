package chat.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ServerSocket;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PortsTest {
    @Test
    void neverTheSamePortTwiceAndNoneThatOutgoingConnectionsUse() {
        Set<Integer> ports = new HashSet<>();
        for (int i = 0; i < 100; i++) {
            ports.add(Ports.free());
        }
        assertThat(ports).hasSize(100).allSatisfy(port -> assertThat(port).isBetween(20_000, 29_999));
    }

    @Test
    void portIsFreeUntilSomebodyListens() throws IOException {
        int port = Ports.free();
        assertThat(Ports.isFree(port)).isTrue();
        assertThat(Ports.accepts(port)).isFalse();
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(Ports.address(port));
            assertThat(Ports.isFree(port)).isFalse();
            assertThat(Ports.accepts(port)).isTrue();
        }
    }
}
