package chat.load.dialect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Reads what the server in peers/socketio sent, and packets that say the same in another way. */
class SocketIoReaderTest {
    private static final byte[] ROOM = "lt1-0".getBytes(StandardCharsets.US_ASCII);
    private static final UUID TEN = UUID.fromString("01960000-0000-7000-8000-00000000000a");
    private static final Identity ALICE = new Identity("lt1-0", "1", "alice1");

    private final Dialect dialect = new SocketIo();
    private final FrameReader reader = dialect.newReader();

    @Test
    void aRecordedStayIsUnderstood() throws Exception {
        List<byte[]> recorded = Recording.of(Recording.SOCKET_IO);
        assertThat(recorded).hasSize(12);

        Frame open = read(recorded.get(0));
        assertThat(open.type()).isEqualTo(Frame.Type.OTHER);
        assertThat(open.reply()).asString(StandardCharsets.US_ASCII).isEqualTo("40");
        assertThat(open.pingIntervalMs()).isEqualTo(45_000);

        assertThat(read(recorded.get(1)).type()).isEqualTo(Frame.Type.READY);

        Frame joined = read(recorded.get(2));
        assertThat(joined.type()).isEqualTo(Frame.Type.WELCOME);
        assertThat(joined.namesRoom()).isTrue();
        assertThat(joined.isAbout(ROOM)).isTrue();

        Frame text = read(recorded.get(3));
        assertThat(text.type()).isEqualTo(Frame.Type.MESSAGES);
        assertThat(text.isAbout(ROOM)).isTrue();
        assertThat(text.idCount()).isEqualTo(1);
        assertThat(new UUID(text.idHigh(0), text.idLow(0))).isEqualTo(TEN);
        assertThat(text.lastIsText()).isTrue();
        assertThat(text.position()).isEqualTo(-1);

        Frame ack = read(recorded.get(4));
        assertThat(ack.type()).isEqualTo(Frame.Type.ACK);
        assertThat(ack.number()).isZero();
        assertThat(ack.namesRoom()).isTrue();
        assertThat(ack.isAbout(ROOM)).isTrue();

        assertThat(read(recorded.get(5)).type()).isEqualTo(Frame.Type.MESSAGES);
        assertThat(read(recorded.get(6)).number()).isEqualTo(1);

        Frame refused = read(recorded.get(7));
        assertThat(refused.type()).isEqualTo(Frame.Type.ERROR);
        assertThat(refused.number()).isEqualTo(2);
        assertThat(refused.code()).isEqualTo("NOT_JOINED");
        assertThat(refused.retryable()).isFalse();

        Frame refusedWithoutAnswer = read(recorded.get(8));
        assertThat(refusedWithoutAnswer.type()).isEqualTo(Frame.Type.ERROR);
        assertThat(refusedWithoutAnswer.number()).isEqualTo(-1);
        assertThat(refusedWithoutAnswer.idCount()).isEqualTo(1);

        Frame refusedJoin = read(recorded.get(9));
        assertThat(refusedJoin.type()).isEqualTo(Frame.Type.ERROR);
        assertThat(refusedJoin.number()).isEqualTo(-1);
        assertThat(refusedJoin.code()).isEqualTo("INVALID");

        Frame ping = read(recorded.get(10));
        assertThat(ping.type()).isEqualTo(Frame.Type.OTHER);
        assertThat(ping.reply()).asString(StandardCharsets.US_ASCII).isEqualTo("3");

        Frame otherNamespace = read(recorded.get(11));
        assertThat(otherNamespace.type()).isEqualTo(Frame.Type.OTHER);
        assertThat(otherNamespace.reply()).isNull();
    }

    @Test
    void onlyMessagesAreShared() throws Exception {
        for (byte[] packet : Recording.of(Recording.SOCKET_IO)) {
            Frame.Type type = read(packet).type();
            assertThat(reader.isShared(Unpooled.wrappedBuffer(packet))).isEqualTo(type == Frame.Type.MESSAGES);
        }
        assertThat(reader.isShared(Unpooled.EMPTY_BUFFER)).isFalse();
    }

    @Test
    void aWebSocketMessageIsOnePacket() throws Exception {
        assertThat(reader.unit(ascii("430[]"))).isEqualTo(5);
    }

    @Test
    void otherPartsOfAPacketAreSkipped() throws Exception {
        Frame text = read("4217[ \"message\" , {\"more\":[{\"messageId\":\"no\"}], \"messageId\" : \"" + TEN
                + "\"}, 7, {\"a\":\"\\\"]\"}] ");
        assertThat(text.type()).isEqualTo(Frame.Type.MESSAGES);
        assertThat(text.idCount()).isEqualTo(1);
        assertThat(text.namesRoom()).isFalse();
        assertThat(read("42[\"news\",{\"messageId\":\"x\"}]").type()).isEqualTo(Frame.Type.OTHER);
        assertThat(read("42[\"news\"]").type()).isEqualTo(Frame.Type.OTHER);
        assertThat(read("6").type()).isEqualTo(Frame.Type.OTHER);
        assertThat(read("435[null,\"ok\",{\"code\":\"not an answer's first\"}]").number())
                .isEqualTo(4);
    }

    @Test
    void aMessageWithoutAnIdIsOneThatNobodySent() throws Exception {
        Frame text = read("42[\"message\",{}]");
        assertThat(text.idCount()).isEqualTo(1);
        assertThat(text.idHigh(0)).isZero();
    }

    @Test
    void theServerMayRefuseAllOrSayGoodbye() throws Exception {
        Frame refused = read("44{\"message\":\"Not authorized\"}");
        assertThat(refused.type()).isEqualTo(Frame.Type.ERROR);
        assertThat(refused.code()).isEqualTo("not connected");
        assertThat(refused.errors()).isEqualTo("Not authorized");
        assertThat(read("41").type()).isEqualTo(Frame.Type.ERROR);
        Frame later = read("434[{\"code\":\"BUSY\",\"retryable\":true,\"retryAfterMs\":250}]");
        assertThat(later.retryable()).isTrue();
        assertThat(later.retryAfterMs()).isEqualTo(250);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "x",
                "4",
                "47",
                "0",
                "0{\"pingInterval\":\"soon\"}",
                "42",
                "42{}",
                "42[]",
                "42[\"message\"",
                "42[\"message\",[]]",
                "42[\"message\",{\"messageId\":\"",
                "42[\"error\",7]",
                "43[]",
                "431",
                "431[{]",
                "431234567890[]"
            })
    void invalidPacketIsRejected(String packet) {
        assertThatThrownBy(() -> read(packet)).isInstanceOf(FrameReader.Malformed.class);
    }

    @Test
    void aMemberSaysWhatTheServerExpects() {
        ByteBuf out = Unpooled.buffer();
        dialect.hello(out);
        assertThat(out.isReadable()).isFalse();
        dialect.join(out, ALICE, -1);
        assertThat(said(out))
                .isEqualTo("420[\"join\",{\"roomId\":\"lt1-0\",\"userId\":\"1\",\"username\":\"alice1\"}]");
        dialect.text(out, ALICE, 41, TEN, "hello");
        assertThat(said(out))
                .matches("4242\\[\"message\",\\{\"messageId\":\"" + TEN + "\",\"userId\":\"1\",\"username\":\"alice1\","
                        + "\"message\":\"hello\",\"roomId\":\"lt1-0\",\"timestamp\":\"[-0-9T:.]+Z\"}]");
        dialect.leave(out, ALICE, TEN);
        assertThat(said(out)).startsWith("42[\"leave\",{\"roomId\":\"lt1-0\"");
        assertThat(dialect.path("lt1-0")).isEqualTo("/socket.io/?EIO=4&transport=websocket");
    }

    private Frame read(String packet) throws FrameReader.Malformed {
        return read(packet.getBytes(StandardCharsets.US_ASCII));
    }

    private Frame read(byte[] packet) throws FrameReader.Malformed {
        return reader.read(packet, packet.length);
    }

    private static ByteBuf ascii(String text) {
        return Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII);
    }

    private static String said(ByteBuf out) {
        String said = out.toString(StandardCharsets.US_ASCII);
        out.clear();
        return said;
    }
}
