package chat.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class ServerFramesTest {
    private static final UUID ID = UUID.fromString("01960000-0000-7000-8000-000000000001");

    @Test
    void messageIsEncodedAsClientsReadIt() {
        ChatMessage message = new ChatMessage(ID, new Member("42", "alice42"), MessageType.TEXT, "a\"\n<é😀", 5L);
        assertThat(text(MessageJson.encode(message)))
                .isEqualTo("{\"messageType\":\"TEXT\",\"messageId\":\"" + ID + "\",\"userId\":\"42\","
                        + "\"username\":\"alice42\",\"message\":\"a\\\"\\n<é😀\",\"timestamp\":5}");
    }

    @ParameterizedTest
    @EnumSource(MessageType.class)
    void encodedMessageIsReadBackUnchanged(MessageType type) {
        ChatMessage message = new ChatMessage(
                ID,
                new Member("42", "alice42"),
                type,
                type == MessageType.TEXT ? "tab\t, quote\", 😀" : null,
                1763632800123L);
        assertThat(MessageJson.decode(MessageJson.encode(message))).isEqualTo(message);
        assertThat(MessageType.ofCode(type.code())).isEqualTo(type);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "[]", "{}", "{\"messageType\":\"TEXT\"", "{\"messageType\":\"NOPE\"}", "nonsense"})
    void nonMessageIsRejected(String json) {
        assertThatThrownBy(() -> MessageJson.decode(json.getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void welcomeContainsTheMemberAndTheLimits() {
        assertThat(text(ServerFrames.welcome(
                        new RoomId("7"),
                        new Member("42", "alice42", "Zo\u00eb"),
                        "s-1",
                        9,
                        1,
                        25_000,
                        FrameRules.DEFAULT)))
                .isEqualTo(
                        "{\"type\":\"WELCOME\",\"roomId\":\"7\",\"you\":{\"userId\":\"42\",\"username\":\"alice42\","
                                + "\"displayName\":\"Zo\u00eb\"},\"serverId\":\"s-1\",\"position\":\"9\",\"members\":1,"
                                + "\"pingIntervalMs\":25000,\"limits\":{\"maxFrameBytes\":65536,\"maxMessageLength\":500,"
                                + "\"userIds\":\"numbers\",\"maxUserId\":100000,\"usernames\":\"required\",\"maxHistory\":500}}");
        assertThat(text(ServerFrames.welcome(
                        new RoomId("7"),
                        new Member("a", "alice42"),
                        "s-1",
                        9,
                        1,
                        25_000,
                        FrameRules.of(Contract.STANDARD))))
                .contains(
                        "\"maxMessageLength\":4000,\"userIds\":\"ascii\",\"usernames\":\"derived\",\"maxHistory\":500}");
    }

    @Test
    void membersAreListedWithTheirDisplayNames() {
        Member zoe = new Member("42", "alice42", "Zo\u00eb \"Z\"");
        assertThat(text(ServerFrames.roster(new RoomId("7"), 1, List.of(zoe), null)))
                .contains("[{\"userId\":\"42\",\"username\":\"alice42\",\"displayName\":\"Zo\u00eb \\\"Z\\\"\"}]");
    }

    @Test
    void errorsAreEscaped() {
        FrameError error = FrameError.invalid(null, null, List.of("say \"hi\"\n"));
        assertThat(text(ServerFrames.error(error)))
                .isEqualTo("{\"type\":\"ERROR\",\"code\":\"INVALID\",\"number\":100,\"roomId\":null,\"messageId\":null,"
                        + "\"errors\":[\"say \\\"hi\\\"\\n\"],\"retryable\":false,\"retryAfterMs\":null}");
    }

    @Test
    void ackContainsTheIdsAndTheLastPosition() {
        assertThat(text(ServerFrames.ack(new RoomId("7"), 99, 5, List.of(ID, ID))))
                .isEqualTo("{\"type\":\"ACK\",\"status\":\"accepted\",\"roomId\":\"7\",\"position\":\"99\","
                        + "\"timestamp\":5,\"messageIds\":[\"" + ID + "\",\"" + ID + "\"]}");
    }

    @Test
    void storedContainsRoomAndPosition() {
        assertThat(text(ServerFrames.stored(new RoomId("7"), Long.MAX_VALUE, List.of())))
                .isEqualTo("{\"type\":\"STORED\",\"roomId\":\"7\",\"position\":\"9223372036854775807\"}");
        UUID id = new UUID(1, 2);
        assertThat(text(ServerFrames.stored(new RoomId("7"), 5, List.of(id, id))))
                .isEqualTo("{\"type\":\"STORED\",\"roomId\":\"7\",\"position\":\"5\",\"notStored\":"
                        + "[\"00000000-0000-0001-0000-000000000002\",\"00000000-0000-0001-0000-000000000002\"]}");
    }

    @Test
    void membersFrameContainsTheCountAndTheChanges() {
        Member alice = new Member("42", "alice42");
        Member bert = new Member("7", "bert");
        assertThat(text(ServerFrames.members(new RoomId("7"), 1234, List.of(alice, bert), List.of(), true)))
                .isEqualTo("{\"type\":\"MEMBERS\",\"roomId\":\"7\",\"members\":1234,"
                        + "\"joined\":[{\"userId\":\"42\",\"username\":\"alice42\"},"
                        + "{\"userId\":\"7\",\"username\":\"bert\"}],\"left\":[],\"more\":true}");
    }

    @Test
    void rosterContainsTheStartOfTheNextPage() {
        Member alice = new Member("42", "alice42");
        assertThat(text(ServerFrames.roster(new RoomId("7"), 2, List.of(alice), "42")))
                .isEqualTo("{\"type\":\"MEMBERS\",\"roomId\":\"7\",\"members\":2,"
                        + "\"roster\":[{\"userId\":\"42\",\"username\":\"alice42\"}],\"next\":\"42\"}");
        assertThat(text(ServerFrames.roster(new RoomId("7"), 0, List.of(), null)))
                .isEqualTo("{\"type\":\"MEMBERS\",\"roomId\":\"7\",\"members\":0,\"roster\":[],\"next\":null}");
    }

    @Test
    void closeReasonsFitTheirFrame() {
        for (CloseCode code : CloseCode.values())
            assertThat(code.reason().getBytes(StandardCharsets.UTF_8)).hasSizeLessThanOrEqualTo(123);
    }

    @Test
    void roomsSpreadOverPartitionsByTheirCrc32() {
        assertThat(new RoomId("7").partition(4))
                .isEqualTo(new RoomId("7").partition(4))
                .isBetween(0, 3);
        // The value a proxy computes for the same bytes: crc32("123456789") is 0xcbf43926.
        assertThat(new RoomId("123456789").partition(1000)).isEqualTo((int) (0xcbf43926L % 1000));
    }

    private static String text(byte[] utf8) {
        return new String(utf8, StandardCharsets.UTF_8);
    }
}
