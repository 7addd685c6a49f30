package chat.load.dialect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Reads what a nats-server sent, cut in every way. */
class NatsReaderTest {
    private static final byte[] ROOM = "lt1-0".getBytes(StandardCharsets.US_ASCII);
    private static final UUID TEN = UUID.fromString("01960000-0000-7000-8000-00000000000a");
    private static final Identity ALICE = new Identity("lt1-0", "1", "alice1");

    private final Dialect dialect = new Nats();
    private final FrameReader reader = dialect.newReader();

    /** The result of one unit. */
    private record Told(Frame.Type type, long id, boolean shared, int length) {}

    @Test
    void aRecordedStayIsUnderstood() throws Exception {
        List<Told> told = told(Recording.of(Recording.NATS));
        List<Frame.Type> types = new ArrayList<>();
        types.add(Frame.Type.READY);
        types.add(Frame.Type.WELCOME);
        types.addAll(Collections.nCopies(4, Frame.Type.MESSAGES));
        types.add(Frame.Type.OTHER);
        types.addAll(Collections.nCopies(30, Frame.Type.MESSAGES));
        types.add(Frame.Type.OTHER);
        types.add(Frame.Type.OTHER);
        types.add(Frame.Type.ERROR);
        assertThat(told).extracting(Told::type).containsExactlyElementsOf(types);
        List<Told> messages =
                told.stream().filter(unit -> unit.type() == Frame.Type.MESSAGES).toList();
        for (int i = 0; i < messages.size(); i++) {
            assertThat(messages.get(i).id()).isEqualTo(TEN.getLeastSignificantBits() + i);
        }
        assertThat(told).allSatisfy(unit -> assertThat(unit.shared()).isEqualTo(unit.type() == Frame.Type.MESSAGES));
    }

    @Test
    void theServerDidCutAnOperation() throws Exception {
        assertThat(Recording.of(Recording.NATS)).anyMatch(message -> message[message.length - 1] != '\n');
    }

    @Test
    void itDoesNotMatterWhereTheStreamIsCut() throws Exception {
        byte[] stream = stream();
        List<Told> whole = told(List.of(stream));
        for (int cut = 1; cut < stream.length; cut++) {
            List<byte[]> halves = List.of(Arrays.copyOf(stream, cut), Arrays.copyOfRange(stream, cut, stream.length));
            assertThat(told(halves)).as("cut after %d bytes", cut).isEqualTo(whole);
        }
    }

    @Test
    void theStreamMayComeByteByByte() throws Exception {
        byte[] stream = stream();
        List<byte[]> bytes = new ArrayList<>();
        for (byte b : stream) bytes.add(new byte[] {b});
        assertThat(told(bytes)).isEqualTo(told(List.of(stream)));
    }

    @Test
    void theGreetingAndPingsAreAnswered() throws Exception {
        Frame info = read("INFO {\"server_id\":\"x\",\"proto\":1} \r\n");
        assertThat(info.type()).isEqualTo(Frame.Type.READY);
        assertThat(info.reply())
                .asString(StandardCharsets.US_ASCII)
                .startsWith("CONNECT {")
                .endsWith("}\r\n");
        assertThat(read("PING\r\n").reply()).asString(StandardCharsets.US_ASCII).isEqualTo("PONG\r\n");
        assertThat(read("PONG\r\n").reply()).isNull();
        assertThat(read("PONG\r\n").type()).isEqualTo(Frame.Type.OTHER);
        assertThat(read("+OK\r\n").type()).isEqualTo(Frame.Type.OTHER);
        assertThat(read("-ERR 'Slow Consumer'\r\n").code()).isEqualTo("Slow Consumer");
    }

    @Test
    void aMemberIsInItsRoomOnceItHearsItself() throws Exception {
        Frame joined = read("MSG joined.1.lt1-0 j0 0\r\n\r\n");
        assertThat(joined.type()).isEqualTo(Frame.Type.WELCOME);
        assertThat(joined.isAbout(ROOM)).isTrue();
        assertThat(joined.isAbout("lt1-1".getBytes(StandardCharsets.US_ASCII))).isFalse();
    }

    @Test
    void aMessageIsAboutTheRoomOfItsSubject() throws Exception {
        Frame text = read(msg("{\"messageId\":\"" + TEN + "\",\"roomId\":\"elsewhere\"}"));
        assertThat(text.isAbout(ROOM)).isTrue();
        assertThat(text.idCount()).isEqualTo(1);
        assertThat(new UUID(text.idHigh(0), text.idLow(0))).isEqualTo(TEN);
        assertThat(text.lastIsText()).isTrue();
    }

    @Test
    void aMessageMayNameWhereToReply() throws Exception {
        assertThat(read("MSG room.lt1-0 0 _INBOX.7 2\r\n{}\r\n").isAbout(ROOM)).isTrue();
    }

    @Test
    void lineEndsAndOperationsInAPayloadAreNone() throws Exception {
        String payload = "{\"messageId\":\"" + TEN + "\",\r\n\"message\":\"PING\r\nMSG room.x 1 9\r\n\"}";
        ByteBuf in = ascii(msg(payload) + "PING\r\n");
        assertThat(reader.unit(in)).isEqualTo(msg(payload).length());
        assertThat(read(msg(payload)).idCount()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\r\n",
                "HELLO\r\n",
                "PINGPONG\r\n",
                "MSG other.lt1-0 1 2\r\n{}\r\n",
                "MSG joined.lt1-0 j0 0\r\n\r\n",
                "MSG room.lt1-0\r\n{}\r\n",
                "MSG room.lt1-0 0 2\r\n[]\r\n",
                "MSG room.lt1-0 0 2\r\nno\r\n",
                "MSG room.lt1-0 0 0\r\n\r\n",
                "MSG room.lt1-0 0 4\r\n{} x\r\n",
                "MSG room.lt1-0 0 2\r\n{}xx",
                "HMSG room.lt1-0 0 12 14\r\n"
            })
    void invalidOperationIsRejected(String unit) {
        assertThatThrownBy(() -> read(unit)).isInstanceOf(FrameReader.Malformed.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "MSG \r\n",
                "MSG \n",
                "MSG room.lt1-0 0 \r\n",
                "MSG room.lt1-0 0 2\n",
                "MSG room.lt1-0 0 -2\r\n",
                "MSG room.lt1-0 0 two\r\n",
                "MSG room.lt1-0 0 1048577\r\n",
                "MSG room.lt1-0 0 99999999999999999999\r\n"
            })
    void aMessageWhoseSizeIsUnknownOrTooLargeIsRefused(String line) {
        assertThatThrownBy(() -> reader.unit(ascii(line))).isInstanceOf(FrameReader.Malformed.class);
    }

    @Test
    void aLineThatDoesNotEndIsRefused() throws Exception {
        assertThat(reader.unit(ascii("INFO " + "x".repeat(60_000)))).isEqualTo(-1);
        assertThatThrownBy(() -> reader.unit(ascii("INFO " + "x".repeat(70_000))))
                .isInstanceOf(FrameReader.Malformed.class);
    }

    @Test
    void aMemberSaysWhatTheServerExpects() {
        ByteBuf out = Unpooled.buffer();
        dialect.hello(out);
        assertThat(out.isReadable()).isFalse();
        dialect.join(out, ALICE, -1);
        assertThat(said(out))
                .isEqualTo("SUB room.lt1-0 0\r\nSUB joined.1.lt1-0 j0\r\nUNSUB j0 1\r\nPUB joined.1.lt1-0 0\r\n\r\n");
        dialect.text(out, ALICE, 41, TEN, "hello");
        String[] lines = said(out).split("\r\n", -1);
        assertThat(lines).hasSize(3);
        assertThat(lines[0]).isEqualTo("PUB room.lt1-0 " + lines[1].length());
        assertThat(lines[1])
                .matches("\\{\"messageId\":\"" + TEN + "\",\"userId\":\"1\",\"username\":\"alice1\","
                        + "\"message\":\"hello\",\"roomId\":\"lt1-0\",\"timestamp\":\"[-0-9T:.]+Z\"}");
        assertThat(lines[2]).isEmpty();
        dialect.leave(out, ALICE, TEN);
        assertThat(said(out)).isEqualTo("UNSUB 0\r\n");
    }

    private List<Told> told(List<byte[]> messages) throws FrameReader.Malformed {
        List<Told> told = new ArrayList<>();
        ByteBuf in = Unpooled.buffer();
        for (byte[] message : messages) {
            in.discardReadBytes().writeBytes(message);
            for (int length; (length = reader.unit(in)) >= 0; ) {
                boolean shared = reader.isShared(in);
                byte[] unit = new byte[length];
                in.readBytes(unit);
                Frame frame = reader.read(unit, length);
                told.add(new Told(frame.type(), frame.idCount() == 0 ? 0 : frame.idLow(0), shared, length));
            }
        }
        assertThat(in.isReadable()).isFalse();
        return told;
    }

    private static byte[] stream() throws Exception {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] message : Recording.of(Recording.NATS)) all.writeBytes(message);
        return all.toByteArray();
    }

    private static String msg(String payload) {
        return "MSG room.lt1-0 0 " + payload.length() + "\r\n" + payload + "\r\n";
    }

    private Frame read(String unit) throws FrameReader.Malformed {
        byte[] bytes = unit.getBytes(StandardCharsets.US_ASCII);
        return reader.read(bytes, bytes.length);
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
