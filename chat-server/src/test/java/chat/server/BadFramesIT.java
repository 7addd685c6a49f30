package chat.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import chat.log.InMemoryRoomLog;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.util.HexFormat;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Every frame of the table that chat-protocol's tests share is answered on the socket as the table says: with a typed error,
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

    /** One line of the table, which is explained where chat-protocol reads it. */
    record BadFrame(String name, byte[] utf8, boolean joined, String code, String error, int close) {
        static BadFrame read(String line) {
            JsonNode row = JsonMapper.shared().readTree(line);
            return new BadFrame(
                    row.get("name").stringValue(),
                    bytes(row),
                    row.path("joined").asBoolean(false),
                    row.path("code").asString(""),
                    row.path("error").asString(""),
                    row.path("close").asInt(0));
        }

        private static byte[] bytes(JsonNode row) {
            if (row.has("hex")) return HexFormat.of().parseHex(row.get("hex").stringValue());
            if (row.has("frame")) return row.get("frame").stringValue().getBytes(UTF_8);
            StringBuilder text = new StringBuilder();
            for (JsonNode part : row.get("parts"))
                text.repeat(part.get(0).stringValue(), part.get(1).intValue());
            return text.toString().getBytes(UTF_8);
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<BadFrame> all() {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(
                Objects.requireNonNull(BadFramesIT.class.getResourceAsStream("/hostile/bad-frames.jsonl")), UTF_8))) {
            return lines.lines().map(BadFrame::read).toList().stream();
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    @ParameterizedTest
    @MethodSource("all")
    void isAnsweredAsTheTableSays(BadFrame frame) throws IOException {
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
