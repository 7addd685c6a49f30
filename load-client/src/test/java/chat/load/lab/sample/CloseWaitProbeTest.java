package chat.load.lab.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

class CloseWaitProbeTest {
    @Test
    @EnabledOnOs(OS.LINUX)
    void connectionsClosedByTheClientOnlyAreCountedPerPort() throws IOException {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Socket client = new Socket(server.getInetAddress(), server.getLocalPort());
                Socket accepted = server.accept()) {
            int port = server.getLocalPort();
            assertThat(look(port)).isEqualTo(Map.of("chat-" + port + ".closeWait", 0.0));
            client.shutdownOutput();
            assertThat(accepted.getInputStream().read()).as("the end is here").isEqualTo(-1);
            assertThat(look(port)).isEqualTo(Map.of("chat-" + port + ".closeWait", 1.0));
        }
    }

    private static Map<String, Double> look(int port) {
        RecordedSink sink = new RecordedSink();
        new CloseWaitProbe(ProcFiles.ofThisMachine(), List.of(port)).sample(sink);
        return sink.gauges;
    }
}
