package chat.server;

import static org.assertj.core.api.Assertions.assertThat;

import chat.log.InMemoryRoomLog;
import chat.testing.BadFrame;
import chat.testing.LogWatch;
import java.io.IOException;
import java.time.Clock;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Every frame of the table that the decoder is tested with too is answered on the socket as the table says: with a typed error,
 * after which the socket is as good as before, or with a close code. Two who chat in the same room notice nothing, and
 * nothing is logged.
 */
class BadFramesIT {
    private static final String WHO =
            "\"userId\":\"42\",\"username\":\"alice42\",\"timestamp\":\"2026-11-20T10:00:00Z\"}";
    private static final String JOIN = "{\"messageType\":\"JOIN\"," + WHO;
    private static final String MEMBERS = "{\"messageType\":\"MEMBERS\"," + WHO;

    private static InMemoryRoomLog log;
    private static TestServer server;
    private static Bystanders bystanders;
    private static LogWatch complaints;

    @BeforeAll
    static void start() {
        log = new InMemoryRoomLog(1, 64 << 20, Clock.systemUTC());
        server = TestServer.start(log);
        bystanders = new Bystanders(server, "room");
        complaints = LogWatch.begin();
    }

    @AfterAll
    static void nobodyElseHasNoticed() throws InterruptedException {
        try (LogWatch watch = complaints) {
            bystanders.assertUndisturbed();
            server.close();
            log.close();
            watch.assertQuiet();
        }
    }

    @ParameterizedTest
    @MethodSource("chat.testing.BadFrame#all")
    void respondsAsTheTableSays(BadFrame frame) throws IOException {
        try (RawSocket attacker = RawSocket.connect(server, "/chat/room")) {
            if (frame.joined()) join(attacker);
            attacker.send(true, RawSocket.TEXT, frame.utf8());
            if (frame.close() != 0) {
                assertThat(attacker.closeCode()).isEqualTo(frame.close());
                attacker.send(true, RawSocket.CLOSE, new byte[0]);
                assertThat(attacker.isAtEnd()).isTrue();
                return;
            }
            JsonNode error = next(attacker, "ERROR");
            assertThat(error.get("code").stringValue()).isEqualTo(frame.code());
            assertThat(error.get("retryable").booleanValue()).isFalse();
            assertThat(error.get("errors").valueStream().map(JsonNode::stringValue))
                    .anyMatch(text -> text.contains(frame.error()));
            if (frame.joined()) assertStillIn(attacker);
            else join(attacker);
        }
    }

    private static void join(RawSocket socket) throws IOException {
        socket.text(JOIN);
        assertThat(next(socket, "WELCOME").get("roomId").stringValue()).isEqualTo("room");
    }

    private static void assertStillIn(RawSocket socket) throws IOException {
        socket.text(MEMBERS);
        assertThat(next(socket, "MEMBERS").get("roster").toString()).contains("alice42");
    }

    private static JsonNode next(RawSocket socket, String type) throws IOException {
        while (true) {
            RawSocket.Frame frame = socket.read();
            if (frame.opcode() == RawSocket.CLOSE) throw new IOException("closed with " + frame.closeCode());
            if (frame.opcode() != RawSocket.TEXT) continue;
            JsonNode json = JsonMapper.shared().readTree(frame.payload());
            String got = json.get("type").stringValue();
            // In an array others may come first; beside an expected frame an error would be a fault of the server.
            if (got.equals(type)) return json;
            if (got.equals("ERROR")) throw new IOException("refused: " + json);
        }
    }
}
