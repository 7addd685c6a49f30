package chat.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import chat.log.InMemoryRoomLog;
import java.io.IOException;
import java.time.Clock;
import java.util.Arrays;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Invalid input receives its error or close code without affecting other members of the room. */
class BadInputIT {
    private static InMemoryRoomLog log;
    private static TestServer server;

    private Guest witness;

    @BeforeAll
    static void start() {
        log = new InMemoryRoomLog(1, 64 << 20, Clock.systemUTC());
        server = TestServer.start(log);
    }

    @AfterAll
    static void stop() {
        server.close();
        log.close();
    }

    @BeforeEach
    void witnessJoins() {
        witness = Guest.connect(server, "room", 99).joined();
    }

    @AfterEach
    void otherMembersReceivedNoInvalidMessage() {
        witness.awaitAck(witness.text("still here"));
        assertThat(witness.isClosed()).isFalse();
        assertThat(witness.frames("ERROR")).isEmpty();
        assertThat(witness.texts()).containsExactly("still here");
        witness.close();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {"messageType":                                         | not valid JSON
            hello                                                   | not valid JSON
            "hello"                                                 | a frame must be a JSON object or an array
            null                                                    | a frame must be a JSON object or an array
            []                                                      | the array is empty
            [1]                                                     | an array must contain only JSON objects
            {} {}                                                   | more than one JSON value
            {"messageType":"TEXT","messageType":"TEXT"}             | not valid JSON: Duplicate
            {}                                                      | messageType is missing
            {"messageType":"SHOUT"}                                 | messageType must be TEXT, JOIN, LEAVE, MEMBERS or TOKEN
            {"messageType":7}                                       | messageType must be a JSON string, not a number
            {"messageType":"JOIN","userId":"1","username":"abc"}    | timestamp is missing
            {"messageType":"JOIN","userId":"0"}                     | userId must be "1" to "100000"
            {"messageType":"JOIN","userId":1.5}                     | userId must be a JSON string, not a number
            {"messageType":"JOIN","username":"a!"}                  | username must be 3 to 20 characters
            {"messageType":"JOIN","roomId":"a b"}                   | roomId must be 1 to 64 characters
            {"messageType":"JOIN","timestamp":"yesterday"}          | timestamp must be ISO-8601
            {"messageType":"TEXT","message":null}                   | message must be a JSON string, not null
            {"messageType":"TEXT","message":""}                     | message must be 1 to 500 characters
            {"messageType":"TEXT","messageId":"7"}                  | messageId must be a UUID
            {"messageType":"JOIN","resume":"x"}                     | resume must be a position
            {"messageType":"JOIN","history":501}                    | history must be a number from 0 to 500
            """)
    void invalidFramesAreRejectedWithTheFieldName(String frame, String fault) {
        try (Guest guest = Guest.connect(server, "room", 1)) {
            guest.say(frame);
            JsonNode error = guest.error();
            assertThat(error.get("code").asString()).isEqualTo("INVALID");
            assertThat(error.get("number").asInt()).isEqualTo(100);
            assertThat(error.get("retryable").asBoolean()).isFalse();
            assertThat(error.get("errors").toString().replace("\\\"", "\"")).contains(fault);
            assertThat(guest.isClosed()).isFalse();
        }
    }

    @Test
    void textOfMoreThan500CharactersIsRejectedWithItsId() {
        try (Guest guest = Guest.connect(server, "room", 1)) {
            guest.joined();
            guest.awaitAck(guest.text("ü".repeat(499) + "x"));
            UUID id = guest.text("x".repeat(501));
            JsonNode error = guest.error();
            assertThat(error.get("messageId").asString()).isEqualTo(id.toString());
            assertThat(error.get("roomId").asString()).isEqualTo("room");
        }
        witness.await("the good text", () -> witness.texts().size() == 1);
        witness.close();
        witnessJoins();
    }

    @Test
    void textAndLeaveWithoutJoinAreRejected() {
        try (Guest guest = Guest.connect(server, "room", 1)) {
            UUID text = guest.text("hello");
            UUID leave = guest.leave();
            guest.await("two errors", () -> guest.frames("ERROR").size() == 2);
            for (JsonNode error : guest.frames("ERROR"))
                assertThat(error.get("code").asString()).isEqualTo("NOT_JOINED");
            assertThat(guest.frames("ERROR").stream()
                            .map(error -> error.get("messageId").asString()))
                    .containsExactly(text.toString(), leave.toString());
        }
    }

    @Test
    void textUnderAnotherUserIsRejected() {
        try (Guest guest = Guest.connect(server, "room", 1)) {
            guest.joined();
            guest.say("{\"messageType\":\"TEXT\",\"message\":\"hi\",\"userId\":\"99\",\"username\":\"guest99\","
                    + "\"timestamp\":\"2026-11-20T10:00:00Z\"}");
            assertThat(guest.error().get("code").asString()).isEqualTo("IDENTITY_MISMATCH");
            guest.join();
            guest.awaitFrame("ERROR", error -> error.get("code").asString().equals("ALREADY_JOINED"));
        }
    }

    @Test
    void sessionMayJoin128RoomsAndNoMore() {
        try (Guest guest = Guest.connect(server, "room", 1)) {
            for (int i = 0; i < 129; i++) guest.join("many" + i);
            JsonNode error = guest.error();
            assertThat(error.get("code").asString()).isEqualTo("TOO_MANY_ROOMS");
            assertThat(error.get("roomId").asString()).isEqualTo("many128");
            guest.await("WELCOMEs", () -> guest.frames("WELCOME").size() == 128);
        }
    }

    @Test
    void hundredFaultsCloseTheSocketEvenInOneFrame() throws IOException {
        try (Guest guest = Guest.connect(server, "room", 1);
                RawSocket raw = RawSocket.connect(server, "/chat/room")) {
            for (int i = 0; i < 100; i++) guest.say("{}");
            assertThat(guest.closeCode()).isEqualTo(4001);
            raw.text("[1" + ",1".repeat(30_000) + "]");
            int errors = 0;
            RawSocket.Frame frame = raw.read();
            while (frame.opcode() == RawSocket.TEXT) {
                errors++;
                frame = raw.read();
            }
            assertThat(errors).isEqualTo(100);
            assertThat(frame.closeCode()).isEqualTo(4001);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a%20b",
                "a%2Fb",
                "a/b",
                "%C3%A4",
                "a.b",
                "12345678901234567890123456789012345678901234567890123456789012345"
            })
    void invalidRoomInThePathIsReportedOnTheSocket(String room) throws IOException {
        try (RawSocket raw = RawSocket.connect(server, "/chat/" + room)) {
            assertThat(raw.closeCode()).isEqualTo(4002);
            raw.send(true, RawSocket.CLOSE, new byte[] {0x0f, (byte) 0xa2});
            assertThat(raw.isAtEnd()).isTrue();
        }
    }

    @Test
    void binaryIsNotAccepted() throws IOException {
        assertClosed(1003, raw -> raw.send(true, RawSocket.BINARY, "{}".getBytes(UTF_8)));
    }

    @Test
    void frameOfMoreThan64KibIsTooBig() throws IOException {
        assertClosed(1009, raw -> raw.send(true, RawSocket.TEXT, letters(65_537)));
    }

    @Test
    void fragmentsTogetherMayNotBeLargerThanAFrame() throws IOException {
        assertClosed(1009, raw -> {
            raw.send(false, RawSocket.TEXT, letters(40_000));
            raw.send(false, RawSocket.CONTINUATION, letters(20_000));
            raw.send(true, RawSocket.CONTINUATION, letters(5_537));
        });
    }

    @Test
    void frameOf64KibIsAcceptedWholeAndInFragments() {
        try (Guest guest = Guest.connect(server, "room", 1)) {
            String blank = " ".repeat(65_534);
            guest.say("{" + blank + "}");
            guest.error();
            guest.sayInPieces("{" + blank.substring(0, 30_000), blank.substring(30_000), "}");
            guest.await("second error", () -> guest.frames("ERROR").size() == 2);
        }
    }

    @Test
    void unmaskedFramesAreAProtocolError() throws IOException {
        assertClosed(1002, raw -> raw.send(true, 0, RawSocket.TEXT, false, "{}".getBytes(UTF_8)));
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 7, 11, 15})
    void reservedOpcodesAreAProtocolError(int opcode) throws IOException {
        assertClosed(1002, raw -> raw.send(true, opcode, new byte[0]));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4, 7})
    void reservedBitsAreAProtocolError(int bits) throws IOException {
        assertClosed(1002, raw -> raw.send(true, bits, RawSocket.TEXT, true, "{}".getBytes(UTF_8)));
    }

    @Test
    void fragmentedOrLongControlFramesAreAProtocolError() throws IOException {
        assertClosed(1002, raw -> raw.send(false, RawSocket.PING, new byte[0]));
        assertClosed(1002, raw -> raw.send(true, RawSocket.PING, letters(126)));
    }

    @Test
    void continuationWithoutAMessageIsAProtocolError() throws IOException {
        assertClosed(1002, raw -> raw.send(true, RawSocket.CONTINUATION, "{}".getBytes(UTF_8)));
    }

    @Test
    void textWithinATextIsAProtocolError() throws IOException {
        assertClosed(1002, raw -> {
            raw.send(false, RawSocket.TEXT, "{".getBytes(UTF_8));
            raw.send(true, RawSocket.TEXT, "}".getBytes(UTF_8));
        });
    }

    @Test
    void invalidUtf8IsRejectedAlsoOverFragments() throws IOException {
        assertClosed(1007, raw -> raw.send(true, RawSocket.TEXT, bytes('"', 0xc3, 0x28, '"')));
        assertClosed(1007, raw -> {
            raw.send(false, RawSocket.TEXT, bytes('"', 0xc3));
            raw.send(true, RawSocket.CONTINUATION, bytes(0x28, '"'));
        });
        assertClosed(1007, raw -> raw.send(true, RawSocket.TEXT, bytes('"', 0xed, 0xa0, 0x80, '"')));
        assertClosed(1007, raw -> raw.send(true, RawSocket.CLOSE, bytes(0x03, 0xe8, 0xc3, 0x28)));
    }

    @Test
    void characterOverTwoFragmentsIsValid() throws IOException {
        try (RawSocket raw = RawSocket.connect(server, "/chat/room")) {
            raw.send(false, RawSocket.TEXT, bytes('"', 0xc3));
            raw.send(true, RawSocket.PING, bytes(1));
            raw.send(true, RawSocket.CONTINUATION, bytes(0xa4, '"'));
            assertThat(raw.read().opcode()).isEqualTo(RawSocket.PONG);
            assertThat(new String(raw.read().payload(), UTF_8)).contains("INVALID");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"03ed", "03ee", "00", "0000", "03e7", "07d0", "1388"})
    void invalidCloseFramesAreAProtocolError(String hex) throws IOException {
        assertClosed(
                1002,
                raw -> raw.send(true, RawSocket.CLOSE, java.util.HexFormat.of().parseHex(hex)));
    }

    @Test
    void closeFrameIsEchoed() throws IOException {
        assertClosed(1001, raw -> raw.send(true, RawSocket.CLOSE, bytes(0x03, 0xe9)));
        assertClosed(1005, raw -> raw.send(true, RawSocket.CLOSE, new byte[0]));
    }

    private interface Misdeed {
        void doneTo(RawSocket raw) throws IOException;
    }

    /** A member of the room does it; the server says why it ends, and does end. */
    private static void assertClosed(int code, Misdeed misdeed) throws IOException {
        try (RawSocket raw = RawSocket.connect(server, "/chat/room")) {
            raw.text("{\"messageType\":\"JOIN\",\"userId\":\"7\",\"username\":\"seven\","
                    + "\"timestamp\":\"2026-11-20T10:00:00Z\"}");
            assertThat(new String(raw.read().payload(), UTF_8)).contains("WELCOME");
            misdeed.doneTo(raw);
            assertThat(raw.closeCode()).isEqualTo(code);
            assertThat(raw.isAtEnd()).isTrue();
        }
    }

    private static byte[] letters(int count) {
        byte[] letters = new byte[count];
        Arrays.fill(letters, (byte) 'x');
        return letters;
    }

    private static byte[] bytes(int... values) {
        byte[] bytes = new byte[values.length];
        for (int i = 0; i < values.length; i++) bytes[i] = (byte) values[i];
        return bytes;
    }
}
