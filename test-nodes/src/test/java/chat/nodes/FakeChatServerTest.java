package chat.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FakeChatServerTest {
    /** Enough repetitions to detect a kill() that does not wait for its thread. */
    private static final int SERVERS = 500;

    @Test
    void killedServerAcceptsNoConnections() {
        for (int i = 0; i < SERVERS; i++) {
            FakeChatServer server = new FakeChatServer("server");
            server.kill();
            int port = Integer.parseInt(server.address().split(":", -1)[1]);
            assertThat(Ports.accepts(port)).isFalse();
        }
    }
}
