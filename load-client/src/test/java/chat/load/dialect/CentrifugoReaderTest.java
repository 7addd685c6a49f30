package chat.load.dialect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Reads what Centrifugo sent, and replies that its documentation has and it did not send. */
class CentrifugoReaderTest {
    private static final byte[] ROOM = "lt1-0".getBytes(StandardCharsets.US_ASCII);
    private static final UUID TEN = UUID.fromString("01960000-0000-7000-8000-00000000000a");
    private static final Identity ALICE = new Identity("lt1-0", "1", "alice1");
    private static final String PUBLICATION =
            "{\"push\":{\"channel\":\"room:lt1-0\",\"pub\":{\"data\":{\"messageId\":\"" + TEN
                    + "\",\"roomId\":\"lt1-0\"},\"info\":{\"user\":\"\",\"client\":\"c1\"}}}}";

    private final Dialect dialect = new Centrifugo();
    private final FrameReader reader = dialect.newReader();

    /**
     * The result of one reply.
     *
     * @param number of the TEXT that it is about
     */
    private record Told(Frame.Type type, long id, int number, boolean answered) {}

    @Test
    void aRecordedStayIsUnderstood() throws Exception {
        List<Told> told = told(Recording.of(Recording.CENTRIFUGO));
        assertThat(told)
                .extracting(Told::type)
                .containsExactly(
                        Frame.Type.READY,
                        Frame.Type.WELCOME,
                        Frame.Type.MESSAGES,
                        Frame.Type.ACK,
                        Frame.Type.MESSAGES,
                        Frame.Type.ACK,
                        Frame.Type.OTHER,
                        Frame.Type.MESSAGES,
                        Frame.Type.MESSAGES,
                        Frame.Type.MESSAGES,
                        Frame.Type.MESSAGES,
                        Frame.Type.MESSAGES,
                        Frame.Type.MESSAGES,
                        Frame.Type.ERROR,
                        Frame.Type.ERROR,
                        Frame.Type.OTHER,
                        Frame.Type.OTHER,
                        Frame.Type.OTHER);
        assertThat(told)
                .filteredOn(unit -> unit.type() == Frame.Type.MESSAGES)
                .extracting(Told::id)
                .isEqualTo(LongStream.range(0, 8)
                        .mapToObj(i -> TEN.getLeastSignificantBits() + i)
                        .toList());
        assertThat(told)
                .filteredOn(unit -> unit.type() == Frame.Type.ACK || unit.type() == Frame.Type.ERROR)
                .extracting(Told::number)
                .containsExactly(0, 1, 2, 3);
        assertThat(told).filteredOn(Told::answered).hasSize(3);
    }

    @Test
    void theConnectionIsReadyOnceConnectIsAnswered() throws Exception {
        Frame frame = read("{\"id\":1,\"connect\":{\"client\":\"9ac9de4e-5289-4ad6-9aa7-8447f007083e\","
                + "\"version\":\"0.0.0\",\"ping\":25,\"pong\":true}}");
        assertThat(frame.type()).isEqualTo(Frame.Type.READY);
        assertThat(frame.pingIntervalMs()).isEqualTo(25_000);
        assertThat(read("{\"id\":1,\"connect\":{}}").pingIntervalMs()).isEqualTo(-1);
    }

    @Test
    void subscribingIsTheWelcomeAndPublishingTheAck() throws Exception {
        assertThat(read("{\"id\":2,\"subscribe\":{}}").type()).isEqualTo(Frame.Type.WELCOME);
        Frame ack = read("{\"id\":45,\"publish\":{}}");
        assertThat(ack.type()).isEqualTo(Frame.Type.ACK);
        assertThat(ack.number()).isEqualTo(41);
        assertThat(read("{\"id\":3,\"unsubscribe\":{}}").type()).isEqualTo(Frame.Type.OTHER);
    }

    @Test
    void aPublicationGivesRoomAndId() throws Exception {
        Frame text = read(PUBLICATION);
        assertThat(text.type()).isEqualTo(Frame.Type.MESSAGES);
        assertThat(text.isAbout(ROOM)).isTrue();
        assertThat(text.idCount()).isEqualTo(1);
        assertThat(new UUID(text.idHigh(0), text.idLow(0))).isEqualTo(TEN);
        assertThat(text.position()).isEqualTo(-1);
        assertThat(read("{\"push\":{\"pub\":{\"data\":{}},\"channel\":\"room:lt1-1\"}}")
                        .isAbout(ROOM))
                .isFalse();
    }

    @Test
    void pingsAreAnswered() throws Exception {
        assertThat(read("{}").reply()).asString(StandardCharsets.US_ASCII).isEqualTo("{}");
        assertThat(read("{}\n").reply()).isNotNull();
        assertThat(read("\n").reply()).isNull();
        assertThat(read(PUBLICATION).reply()).isNull();
    }

    @Test
    void refusalsTellToWhat() throws Exception {
        Frame refused = read("{\"id\":45,\"error\":{\"code\":103,\"message\":\"permission denied\"}}");
        assertThat(refused.type()).isEqualTo(Frame.Type.ERROR);
        assertThat(refused.number()).isEqualTo(41);
        assertThat(refused.code()).isEqualTo("103");
        assertThat(refused.errors()).isEqualTo("permission denied");
        assertThat(refused.retryable()).isFalse();
        Frame later =
                read("{\"error\":{\"code\":100,\"message\":\"internal server error\",\"temporary\":true},\"id\":2}");
        assertThat(later.number()).isEqualTo(-1);
        assertThat(later.retryable()).isTrue();
    }

    @Test
    void beingPutOutIsAnError() throws Exception {
        Frame out =
                read("{\"push\":{\"channel\":\"room:lt1-0\",\"unsubscribe\":{\"code\":2500,\"reason\":\"server\"}}}");
        assertThat(out.type()).isEqualTo(Frame.Type.ERROR);
        assertThat(out.code()).isEqualTo("2500");
        assertThat(read("{\"push\":{\"disconnect\":{\"code\":3001,\"reason\":\"shutdown\"}}}")
                        .errors())
                .isEqualTo("shutdown");
        assertThat(read("{\"push\":{\"channel\":\"room:lt1-0\",\"join\":{\"info\":{}}}}")
                        .type())
                .isEqualTo(Frame.Type.OTHER);
    }

    @Test
    void onlyPublicationsAreShared() {
        assertThat(reader.isShared(ascii(PUBLICATION))).isTrue();
        assertThat(reader.isShared(ascii("{\"push\":{\"channel\":\"room:lt1-0\",\"unsubscribe\":{}}}")))
                .isFalse();
        assertThat(reader.isShared(ascii("{\"push\":{\"channel\":\"room:lt1"))).isFalse();
        assertThat(reader.isShared(ascii("{\"push\":{\"channel\":\"room:lt1\"")))
                .isFalse();
        assertThat(reader.isShared(ascii("{\"id\":45,\"publish\":{}}"))).isFalse();
        assertThat(reader.isShared(ascii("{}"))).isFalse();
    }

    @Test
    void severalRepliesMayShareAMessage() throws Exception {
        String replies = "{\"id\":4,\"publish\":{}}\n" + PUBLICATION + "\n{}";
        assertThat(told(List.of(replies.getBytes(StandardCharsets.US_ASCII))))
                .extracting(Told::type)
                .containsExactly(Frame.Type.ACK, Frame.Type.MESSAGES, Frame.Type.OTHER);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[]",
                "{",
                "{\"id\":\"two\"}",
                "{\"id\":2,\"connect\":[]}",
                "{\"id\":2,\"error\":7}",
                "{\"push\":7}",
                "{\"push\":{\"pub\":{\"data\":\"text\"}}}",
                "{\"id\":4,\"publish\":{}}{}"
            })
    void invalidReplyIsRejected(String line) {
        assertThatThrownBy(() -> read(line)).isInstanceOf(FrameReader.Malformed.class);
    }

    @Test
    void aMemberSaysWhatTheServerExpects() {
        ByteBuf out = Unpooled.buffer();
        dialect.hello(out);
        assertThat(said(out)).isEqualTo("{\"id\":1,\"connect\":{}}");
        dialect.join(out, ALICE, -1);
        assertThat(said(out)).isEqualTo("{\"id\":2,\"subscribe\":{\"channel\":\"room:lt1-0\"}}");
        dialect.text(out, ALICE, 41, TEN, "hello");
        assertThat(said(out))
                .matches("\\{\"id\":45,\"publish\":\\{\"channel\":\"room:lt1-0\",\"data\":\\{\"messageId\":\"" + TEN
                        + "\",\"userId\":\"1\",\"username\":\"alice1\",\"message\":\"hello\",\"roomId\":\"lt1-0\","
                        + "\"timestamp\":\"[-0-9T:.]+Z\"}}}");
        dialect.leave(out, ALICE, TEN);
        assertThat(said(out)).isEqualTo("{\"id\":3,\"unsubscribe\":{\"channel\":\"room:lt1-0\"}}");
    }

    private List<Told> told(List<byte[]> messages) throws FrameReader.Malformed {
        List<Told> told = new ArrayList<>();
        for (byte[] message : messages) {
            ByteBuf in = Unpooled.wrappedBuffer(message);
            while (in.isReadable()) {
                byte[] unit = new byte[reader.unit(in)];
                in.readBytes(unit);
                Frame frame = reader.read(unit, unit.length);
                told.add(new Told(
                        frame.type(),
                        frame.idCount() == 0 ? 0 : frame.idLow(0),
                        frame.number(),
                        frame.reply() != null));
            }
        }
        return told;
    }

    private Frame read(String line) throws FrameReader.Malformed {
        byte[] bytes = line.getBytes(StandardCharsets.US_ASCII);
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
