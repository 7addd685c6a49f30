package chat.server.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class KernelConnectionsTest {
    private static final String HEADING = "  sl  local_address rem_address   st tx_queue rx_queue\n";

    @TempDir
    private Path directory;

    private static InetSocketAddress address(String host, int port) throws IOException {
        return new InetSocketAddress(InetAddress.getByName(host), port);
    }

    @Test
    void onlyConnectionsToThePortAreFound() throws IOException {
        if (ByteOrder.nativeOrder() != ByteOrder.LITTLE_ENDIAN) return; // as the lines below are
        Files.writeString(
                directory.resolve("tcp"),
                HEADING
                        + "   0: 00000000:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000 0\n"
                        + "   1: 0100007F:1F90 0100007F:9C40 01 00000000:00000000 00:00000000 00000000 0\n"
                        + "   2: 0100007F:9C40 0100007F:1F90 01 00000000:00000000 00:00000000 00000000 0\n"
                        + "   3: 0100007F:1F90 0200007F:9C41 08 00000000:00000000 00:00000000 00000000 0\n"
                        + "   4: 0100007F:1F90 0100007F:9C42 06 00000000:00000000 00:00000000 00000000 0\n"
                        + "1234: 0100007F:1F91 0100007F:9C43 01 00000000:00000000 00:00000000 00000000 0\n");
        Files.writeString(
                directory.resolve("tcp6"),
                HEADING
                        + "   0: 0000000000000000FFFF00000100007F:1F90 0000000000000000FFFF00000300007F:9C44 01 0\n"
                        + "   1: 00000000000000000000000001000000:1F90 00000000000000000000000001000000:9C45 01 0\n");
        assertThat(new KernelConnections(directory).clientsOf(0x1f90))
                .containsExactlyInAnyOrder(
                        address("127.0.0.1", 40_000),
                        address("127.0.0.2", 40_001),
                        address("127.0.0.3", 40_004),
                        address("::1", 40_005));
    }

    @Test
    void missingProcFileIsNotAnEmptyResult() throws IOException {
        assertThat(new KernelConnections(directory).clientsOf(8080)).isNull();
        Files.writeString(directory.resolve("tcp"), HEADING + "something else\n");
        assertThat(new KernelConnections(directory).clientsOf(8080)).isNull();
        Files.writeString(directory.resolve("tcp"), HEADING + " 0: 0100007F:1F90 nonsense 01 0\n");
        assertThat(new KernelConnections(directory).clientsOf(8080)).isNull();
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void realConnectionIsFoundUntilItIsClosed() throws IOException {
        KernelConnections kernel = KernelConnections.ofThisSystem();
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            try (Socket client = new Socket(server.getInetAddress(), server.getLocalPort());
                    Socket accepted = server.accept()) {
                assertThat(kernel.clientsOf(server.getLocalPort()))
                        .containsExactly((InetSocketAddress) client.getLocalSocketAddress());
                assertThat(accepted.isConnected()).isTrue();
            }
            assertThat(kernel.clientsOf(server.getLocalPort())).isEmpty();
        }
    }
}
