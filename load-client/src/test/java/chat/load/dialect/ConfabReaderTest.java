package chat.load.dialect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import chat.protocol.ChatMessage;
import chat.protocol.ErrorCode;
import chat.protocol.FrameError;
import chat.protocol.FrameRules;
import chat.protocol.Member;
import chat.protocol.MessageJson;
import chat.protocol.MessageType;
import chat.protocol.RoomId;
import chat.protocol.ServerFrames;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Reads what the protocol module writes, and JSON that says the same in another way. */
class ConfabReaderTest {
    private static final RoomId ROOM = new RoomId("r1-7");
    private static final Member ALICE = new Member("42", "alice42");
    private static final UUID ONE = UUID.fromString("01960000-0000-7000-8000-00000000000a");
    private static final UUID TWO = UUID.fromString("FFFFFFFF-ffff-7fff-bfff-ffffffffffff");

    private final ConfabReader reader = new ConfabReader();
    private final Frame scanner = reader.frame;

    @Test
    void welcome() throws Exception {
        scan(ServerFrames.welcome(
                ROOM, new Member("1", "alice1"), "a \"quoted\" server", 77, 3, 25_000, FrameRules.DEFAULT));
        assertThat(scanner.type()).isEqualTo(Frame.Type.WELCOME);
        assertThat(scanner.position()).isEqualTo(77);
        assertThat(scanner.pingIntervalMs()).isEqualTo(25_000);
        assertThat(scanner.isAbout("r1-7".getBytes(StandardCharsets.US_ASCII))).isTrue();
        assertThat(scanner.isAbout("r1-8".getBytes(StandardCharsets.US_ASCII))).isFalse();
    }

    @Test
    void storedFramesAreIgnored() throws Exception {
        scan(ServerFrames.stored(ROOM, 77, List.of()));
        assertThat(scanner.type()).isEqualTo(Frame.Type.OTHER);
    }

    @Test
    void messagesGiveTheIdsOfTextsOnly() throws Exception {
        ByteArrayOutputStream json = new ByteArrayOutputStream();
        json.writeBytes(ServerFrames.messagesHead(ROOM, Long.MAX_VALUE));
        json.writeBytes(message(MessageType.JOIN, UUID.randomUUID(), null));
        json.write(',');
        json.writeBytes(message(MessageType.TEXT, ONE, "\"messageId\":\"no\" \\ {[ \" é😀"));
        json.write(',');
        json.writeBytes(message(MessageType.TEXT, TWO, "plain"));
        json.writeBytes(ServerFrames.MESSAGES_TAIL);
        scan(json.toByteArray());
        assertThat(scanner.type()).isEqualTo(Frame.Type.MESSAGES);
        assertThat(scanner.position()).isEqualTo(Long.MAX_VALUE);
        assertThat(ids()).containsExactly(ONE, TWO);
        assertThat(scanner.lastIsText()).isTrue();
    }

    @Test
    void messagesThatEndWithAnotherKindSaySo() throws Exception {
        scan(("{\"type\":\"MESSAGES\",\"roomId\":\"r1-7\",\"position\":\"9\",\"messages\":["
                        + new String(message(MessageType.TEXT, ONE, "x"), StandardCharsets.UTF_8) + ","
                        + new String(message(MessageType.LEAVE, TWO, null), StandardCharsets.UTF_8) + "]}")
                .getBytes(StandardCharsets.UTF_8));
        assertThat(ids()).containsExactly(ONE);
        assertThat(scanner.lastIsText()).isFalse();
    }

    @Test
    void ack() throws Exception {
        scan(ServerFrames.ack(ROOM, 99, 5, List.of(ONE, TWO)));
        assertThat(scanner.type()).isEqualTo(Frame.Type.ACK);
        assertThat(scanner.position()).isEqualTo(99);
        assertThat(ids()).containsExactly(ONE, TWO);
    }

    @Test
    void errors() throws Exception {
        scan(ServerFrames.error(FrameError.unavailable(ROOM, ONE, 250)));
        assertThat(scanner.type()).isEqualTo(Frame.Type.ERROR);
        assertThat(scanner.code()).isEqualTo(ErrorCode.UNAVAILABLE.name());
        assertThat(scanner.retryable()).isTrue();
        assertThat(scanner.retryAfterMs()).isEqualTo(250);
        assertThat(ids()).containsExactly(ONE);

        scan(ServerFrames.error(FrameError.invalid(null, null, List.of("say \"why\""))));
        assertThat(scanner.retryable()).isFalse();
        assertThat(scanner.retryAfterMs()).isEqualTo(-1);
        assertThat(scanner.errors()).contains("why");
        assertThat(ids()).isEmpty();
    }

    @Test
    void gap() throws Exception {
        scan(ServerFrames.gap(ROOM, 5, 9));
        assertThat(scanner.type()).isEqualTo(Frame.Type.GAP);
        assertThat(scanner.from()).isEqualTo(5);
        assertThat(scanner.to()).isEqualTo(9);
    }

    @Test
    void anyOrderAnySpaceAndUnknownFieldsAreRead() throws Exception {
        scan("""
             { "later" : {"a":[1,-2.5e+3,true,null,{"b":[]}]}, "messages" : [ { "message":"m", "messageId" :
             "%s" , "extra":[[]], "messageType":"TEXT" } ] , "position":12, "roomId":"r1-7", "type":"MESSAGES" }
             """.formatted(ONE).getBytes(StandardCharsets.UTF_8));
        assertThat(scanner.type()).isEqualTo(Frame.Type.MESSAGES);
        assertThat(scanner.position()).isEqualTo(12);
        assertThat(ids()).containsExactly(ONE);
    }

    @Test
    void aTextWithoutAUuidStillCounts() throws Exception {
        scan("""
             {"type":"MESSAGES","messages":[{"messageType":"TEXT"},{"messageType":"TEXT","messageId":"x"},
             {"messageType":"TEXT","messageId":"0196000g-0000-7000-8000-00000000000a"},
             {"messageType":"TEXT","messageId":null}]}
             """.getBytes(StandardCharsets.UTF_8));
        assertThat(ids()).hasSize(4).containsOnly(new UUID(0, 0));
    }

    @Test
    void manyIdsFit() throws Exception {
        UUID[] many = new UUID[1000];
        for (int i = 0; i < many.length; i++) many[i] = new UUID(7L * i, i);
        scan(ServerFrames.ack(ROOM, 1, 1, Arrays.asList(many)));
        assertThat(ids()).containsExactly(many);
    }

    @Test
    void presenceFramesAreIgnored() throws Exception {
        Member bert = new Member("7", "bert");
        scan(ServerFrames.members(ROOM, 1234, List.of(ALICE, bert), List.of(ALICE), true));
        assertThat(scanner.type()).isEqualTo(Frame.Type.OTHER);
        assertThat(ids()).isEmpty();
        scan(ServerFrames.roster(ROOM, 2, List.of(ALICE, bert), "42"));
        assertThat(scanner.type()).isEqualTo(Frame.Type.OTHER);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "[]",
                "{",
                "{\"type\"",
                "{\"type\":",
                "{\"type\":\"ACK\"",
                "{\"type\":\"ACK\" \"x\":1}",
                "{\"type\":\"ACK\\",
                "{\"position\":\"12x\"}",
                "{\"position\":\"\"}",
                "{\"position\":true}",
                "{\"messages\":[{]}",
                "{\"messages\":{}}",
                "{\"x\":}"
            })
    void invalidJsonIsMalformed(String json) {
        assertThatThrownBy(() -> scan(json.getBytes(StandardCharsets.UTF_8))).isInstanceOf(FrameReader.Malformed.class);
    }

    @Test
    void deepNestingEndsWithAnAnswer() {
        byte[] deep = ("{\"x\":" + "[".repeat(100_000)).getBytes(StandardCharsets.UTF_8);
        assertThatThrownBy(() -> scan(deep)).hasMessageContaining("nested too deep");
    }

    @Test
    void everyPrefixOfAFrameIsMalformedAndNothingWorse() {
        byte[] whole = ServerFrames.ack(ROOM, 99, 5, List.of(ONE, TWO));
        for (int length = 0; length < whole.length; length++) {
            byte[] part = Arrays.copyOf(whole, length);
            assertThatThrownBy(() -> scan(part)).isInstanceOf(FrameReader.Malformed.class);
        }
    }

    private void scan(byte[] json) throws FrameReader.Malformed {
        // Room behind the frame, as in a reused buffer.
        byte[] buffer = Arrays.copyOf(json, json.length + 16);
        Arrays.fill(buffer, json.length, buffer.length, (byte) '"');
        reader.read(buffer, json.length);
    }

    private UUID[] ids() {
        UUID[] ids = new UUID[scanner.idCount()];
        for (int i = 0; i < ids.length; i++) ids[i] = new UUID(scanner.idHigh(i), scanner.idLow(i));
        return ids;
    }

    private static byte[] message(MessageType type, UUID id, @Nullable String text) {
        return MessageJson.encode(new ChatMessage(id, ALICE, type, text, 1_763_632_800_123L));
    }
}
