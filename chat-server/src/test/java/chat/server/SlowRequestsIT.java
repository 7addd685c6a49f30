package chat.server;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import chat.log.InMemoryRoomLog;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Silent and very slow connections time out without delaying others. */
class SlowRequestsIT {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final String HOST = "Host: 127.0.0.1\r\n";

    private static InMemoryRoomLog log;
    private static TestServer server;

    @BeforeAll
    static void start() {
        log = new InMemoryRoomLog(1, 64 << 20, Clock.systemUTC());
        server = TestServer.start(
                log,
                new TestConstants().withoutRoom(Duration.ofSeconds(3)).pingGrace(Duration.ofMillis(300)),
                "server.netty.idle-timeout=1s",
                "chat.server.socket.ping-interval=300ms");
    }

    @AfterAll
    static void stop() {
        server.close();
        log.close();
    }

    private static Socket connect() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(100);
        return socket;
    }

    /** Says one byte each 100 ms, as long as there are any, until the server has closed the connection. */
    private static void assertClosedWhileSaying(String request) throws IOException {
        byte[] bytes = request.getBytes(US_ASCII);
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        try (Socket socket = connect()) {
            for (int at = 0; System.nanoTime() < deadline; at++) {
                try {
                    if (at < bytes.length) socket.getOutputStream().write(bytes[at]);
                    if (socket.getInputStream().read() < 0) return;
                } catch (SocketTimeoutException nothingYet) {
                    // That was the pause.
                } catch (SocketException closed) {
                    return;
                }
            }
            throw new AssertionError("still open");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "GET /health HTTP/1.1\r\n" + HOST
                        + "X-Slow: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                "GET /chat/room HTTP/1.1\r\n" + HOST
                        + "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ",
                "POST /health HTTP/1.1\r\n" + HOST
                        + "Content-Length: 100000\r\n\r\naaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                "POST /health HTTP/1.1\r\n" + HOST
                        + "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n1\r\na\r\n1\r\na\r\n1\r\na\r\n1\r\na\r\n1\r\na\r\n"
            })
    void requestSentByteByByteTimesOut(String request) throws IOException {
        assertClosedWhileSaying(request);
    }

    @Test
    void thousandSilentConnectionsTimeOutAndOthersConnect() throws Exception {
        List<Socket> silent = new ArrayList<>();
        try {
            for (int i = 0; i < 1_000; i++) silent.add(connect());
            try (Guest guest = Guest.connect(server, "room", 1).joined()) {
                guest.awaitAck(guest.text("nobody is in the way"));
            }
            for (Socket socket : silent) {
                socket.setSoTimeout((int) PATIENCE.toMillis());
                assertThat(socket.getInputStream().read()).isNegative();
            }
        } finally {
            for (Socket socket : silent) socket.close();
        }
    }

    @Test
    void silentSocketTimesOutAfterItsUpgrade() throws IOException {
        try (RawSocket silent = RawSocket.connect(server, "/chat/room")) {
            assertThat(silent.closeCode()).isEqualTo(4101);
        }
    }

    @Test
    void socketThatOnlyAnswersPingsTimesOutWithoutARoom() throws IOException {
        try (RawSocket idle = RawSocket.connect(server, "/chat/room")) {
            RawSocket.Frame frame = idle.read();
            while (frame.opcode() == RawSocket.PING) {
                idle.send(true, RawSocket.PONG, frame.payload());
                frame = idle.read();
            }
            assertThat(frame.closeCode()).isEqualTo(4000);
        }
    }

    @Test
    void halfAFrameEnds() throws IOException {
        try (RawSocket raw = RawSocket.connect(server, "/chat/room")) {
            raw.sendBytes((byte) 0x81, (byte) 0xfe, (byte) 0x10);
            assertThat(raw.closeCode()).isEqualTo(4101);
        }
    }

    @Test
    void messageWithoutItsLastFragmentTimesOut() throws IOException {
        try (RawSocket raw = RawSocket.connect(server, "/chat/room")) {
            raw.send(false, RawSocket.TEXT, "{".getBytes(StandardCharsets.US_ASCII));
            assertThat(raw.closeCode()).isEqualTo(4101);
        }
    }

    @Test
    void requestsWithoutReadingAnswersEndAtAThousand() throws IOException {
        byte[] request = ("GET /health HTTP/1.1\r\n" + HOST + "\r\n").getBytes(US_ASCII);
        try (Socket socket = connect()) {
            socket.setSoTimeout((int) PATIENCE.toMillis());
            try {
                for (int i = 0; i < 3_000; i++) socket.getOutputStream().write(request);
            } catch (SocketException closed) {
                // Before all were out.
            }
            StringBuilder answers = new StringBuilder();
            byte[] buffer = new byte[65_536];
            try {
                for (int count; (count = socket.getInputStream().read(buffer)) >= 0; )
                    answers.append(new String(buffer, 0, count, US_ASCII));
            } catch (SocketException reset) {
                // It has closed with our requests unread.
            }
            assertThat(answers.toString().split("HTTP/1\\.1 200", -1)).hasSizeLessThanOrEqualTo(1_001);
        }
        try (Guest guest = Guest.connect(server, "room", 1).joined()) {
            guest.awaitAck(guest.text("all is well"));
        }
    }
}
