package chat.load.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A server's bytes, cut in every way in which a socket may hand them over. */
class FrameJoinerTest {
    private static final int MAX = 100_000;
    private static final int FINAL = 0x80;

    private final UnpooledByteBufAllocator memory = new UnpooledByteBufAllocator(true, true);
    private final List<EmbeddedChannel> channels = new ArrayList<>();

    /** Records what it receives; buffers are valid only during the call. */
    private static class Heard implements FrameJoiner.Listener {
        final List<String> events = new ArrayList<>();

        @Override
        public void message(ByteBuf payload) {
            events.add("message " + payload.toString(StandardCharsets.US_ASCII));
        }

        @Override
        public void control(int opcode, ByteBuf payload) {
            events.add("control " + opcode + " " + payload.toString(StandardCharsets.US_ASCII));
        }

        @Override
        public void broken(String how) {
            events.add("broken " + how);
        }
    }

    @AfterEach
    void everyBufferIsReleased() {
        for (EmbeddedChannel channel : channels) channel.finishAndReleaseAll();
        assertThat(memory.metric().usedDirectMemory() + memory.metric().usedHeapMemory())
                .as("bytes never released")
                .isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 125, 126, 127, 300})
    void aFrameCutAtAnyByteIsTheSameMessage(int length) {
        String text = text(length);
        byte[] frame = frame(FINAL | FrameJoiner.TEXT, text);
        for (int cut = 0; cut <= frame.length; cut++)
            assertThat(read(frame, cut)).as("cut at %d", cut).containsExactly("message " + text);
    }

    @ParameterizedTest
    @ValueSource(ints = {65_535, 65_536, MAX})
    void longMessageCutInItsHeaderOrAtItsEndsIsJoined(int length) {
        String text = text(length);
        byte[] frame = frame(FINAL | FrameJoiner.BINARY, text);
        for (int cut : new int[] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, length / 2, frame.length - 1, frame.length})
            assertThat(read(frame, cut)).as("cut at %d", cut).containsExactly("message " + text);
    }

    @Test
    void manyFramesOfAllLengthsComeInOneReadOrByteByByteOrInAnyPortion() {
        byte[] all = {};
        List<String> expected = new ArrayList<>();
        for (int length : new int[] {0, 1, 125, 126, 3, 65_536, 0, 200}) {
            all = join(all, frame(FINAL | FrameJoiner.TEXT, text(length)));
            expected.add("message " + text(length));
        }
        for (int portion : new int[] {1, 2, 7, 128, 1021, 65_541, all.length}) {
            Heard heard = new Heard();
            EmbeddedChannel channel = channel(heard, MAX);
            for (int from = 0; from < all.length; from += portion)
                channel.writeInbound(bytes(all, from, Math.min(all.length, from + portion)));
            assertThat(heard.events).as("portions of %d", portion).isEqualTo(expected);
        }
    }

    @Test
    void aWholeFrameIsSeenWhereTheSocketWasReadTo() {
        List<ByteBuf> seen = new ArrayList<>();
        Heard heard = new Heard() {
            @Override
            public void message(ByteBuf payload) {
                super.message(payload);
                seen.add(payload);
            }
        };
        ByteBuf in = bytes(join(frame(FINAL | FrameJoiner.TEXT, "one"), frame(FINAL | FrameJoiner.TEXT, "two")));
        channel(heard, MAX).writeInbound(in);
        assertThat(heard.events).containsExactly("message one", "message two");
        assertThat(seen).allSatisfy(payload -> assertThat(payload).isSameAs(in));
    }

    @Test
    void fragmentsAreJoinedAroundControlFramesWhereverTheyAreCut() {
        byte[] all = join(
                frame(FrameJoiner.TEXT, "one "),
                frame(FINAL | FrameJoiner.PING, "are you there"),
                frame(FrameJoiner.CONTINUATION, text(130)),
                frame(FrameJoiner.CONTINUATION, ""),
                frame(FINAL | FrameJoiner.PONG, ""),
                frame(FINAL | FrameJoiner.CONTINUATION, " three"),
                frame(FINAL | FrameJoiner.TEXT, "next"));
        for (int cut = 0; cut <= all.length; cut++)
            assertThat(read(all, cut))
                    .as("cut at %d", cut)
                    .containsExactly(
                            "control 9 are you there",
                            "control 10 ",
                            "message one " + text(130) + " three",
                            "message next");
    }

    @Test
    void emptyFramesAreFrames() {
        byte[] all = join(
                frame(FINAL | FrameJoiner.TEXT, ""),
                frame(FINAL | FrameJoiner.PING, ""),
                frame(FrameJoiner.BINARY, ""),
                frame(FrameJoiner.CONTINUATION, ""),
                frame(FINAL | FrameJoiner.CONTINUATION, ""),
                frame(FINAL | FrameJoiner.CLOSE, ""));
        for (int cut = 0; cut <= all.length; cut++)
            assertThat(read(all, cut)).containsExactly("message ", "control 9 ", "message ", "control 8 ");
    }

    @Test
    void theLargestControlFrameIsRead() {
        assertThat(read(frame(FINAL | FrameJoiner.PING, text(125)), 50)).containsExactly("control 9 " + text(125));
    }

    static Stream<Arguments> wrongFrames() {
        byte[] masked = frame(FINAL | FrameJoiner.TEXT, "abcd");
        masked[1] |= (byte) 0x80;
        byte[] tooLong = frame(FINAL | FrameJoiner.TEXT, text(MAX + 1));
        byte[] negative = {(byte) (FINAL | FrameJoiner.TEXT), 127, (byte) 0xFF, -1, -1, -1, -1, -1, -1, -1};
        byte[] beyondInt = {(byte) (FINAL | FrameJoiner.TEXT), 127, 0, 0, 0, 1, 0, 0, 0, 5};
        byte[] begun = frame(FrameJoiner.TEXT, "begun");
        return Stream.of(
                Arguments.of("a masked frame", masked, "masked its frame"),
                Arguments.of("RSV1", frame(FINAL | 0x40 | FrameJoiner.TEXT, "abc"), "extension"),
                Arguments.of("RSV2", frame(FINAL | 0x20 | FrameJoiner.TEXT, "abc"), "extension"),
                Arguments.of("RSV3 of a control frame", frame(FINAL | 0x10 | FrameJoiner.PING, "abc"), "extension"),
                Arguments.of("a frame that is too long", tooLong, "100001 bytes, at most 100000"),
                Arguments.of("the same, as its header says", head(tooLong, 10), "100001 bytes, at most 100000"),
                Arguments.of("a length beyond 63 bits", negative, "at most 100000"),
                Arguments.of("a length beyond 31 bits", beyondInt, "4294967301 bytes"),
                Arguments.of("126 in more bytes than it needs", longForm(125), "longer form"),
                Arguments.of("a long ping", frame(FINAL | FrameJoiner.PING, text(126)), "control frame"),
                Arguments.of("a fragmented ping", frame(FrameJoiner.PING, "abc"), "control frame"),
                Arguments.of("a fragmented close", frame(FrameJoiner.CLOSE, ""), "control frame"),
                Arguments.of(
                        "a continuation of nothing",
                        frame(FrameJoiner.CONTINUATION, "abc"),
                        "continued a message that had not begun"),
                Arguments.of(
                        "the end of nothing",
                        frame(FINAL | FrameJoiner.CONTINUATION, "abc"),
                        "continued a message that had not begun"),
                Arguments.of(
                        "a message within another",
                        join(begun, frame(FINAL | FrameJoiner.TEXT, "abc")),
                        "began a message within another"),
                Arguments.of(
                        "fragments that are too long together",
                        join(begun, frame(FINAL | FrameJoiner.CONTINUATION, text(MAX - 4))),
                        "a message of more than 100000 bytes"),
                Arguments.of("the data frame 3", frame(FINAL | 3, "abc"), "unknown kind 3"),
                Arguments.of("the control frame 11", frame(FINAL | 11, "abc"), "unknown kind 11"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("wrongFrames")
    void violationIsReportedOnceAndEndsReading(String what, byte[] wrong, String reason) {
        byte[] before = frame(FINAL | FrameJoiner.TEXT, "good");
        byte[] all = join(before, wrong, frame(FINAL | FrameJoiner.TEXT, "never seen"));
        List<Integer> cuts = new ArrayList<>(List.of(0, all.length));
        for (int cut = before.length; cut <= before.length + Math.min(wrong.length, 20); cut++) cuts.add(cut);
        for (int cut : cuts) {
            List<String> events = read(all, cut);
            assertThat(events).as("cut at %d", cut).hasSize(2).first().isEqualTo("message good");
            assertThat(events.getLast())
                    .as("cut at %d", cut)
                    .startsWith("broken ")
                    .contains(reason);
        }
    }

    @Test
    void oversizedMessageIsRejectedBeforeMemoryIsAllocated() {
        Heard heard = new Heard();
        EmbeddedChannel channel = channel(heard, MAX);
        byte[] header = head(frame(FINAL | FrameJoiner.TEXT, text(MAX + 1)), 10);
        for (byte one : header) channel.writeInbound(bytes(new byte[] {one}));
        assertThat(heard.events).singleElement().asString().startsWith("broken ");
        assertThat(memory.metric().usedDirectMemory()).isLessThan(100);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 60})
    void theEndOfAConnectionReleasesWhatHadBegun(int cut) {
        byte[] all = join(frame(FrameJoiner.TEXT, "begun"), head(frame(FINAL | FrameJoiner.PING, text(100)), cut));
        Heard heard = new Heard();
        channel(heard, MAX).writeInbound(bytes(all));
        assertThat(memory.metric().usedDirectMemory()).isPositive();
        assertThat(heard.events).isEmpty();
    }

    @Test
    void listenerThatRemovesTheJoinerReceivesNothingMore() {
        byte[] all = join(
                frame(FrameJoiner.TEXT, "begun"),
                frame(FINAL | FrameJoiner.PING, "go"),
                frame(FINAL | FrameJoiner.CONTINUATION, "ended"));
        for (int cut = 0; cut < all.length; cut++) {
            List<EmbeddedChannel> channel = new ArrayList<>();
            Heard heard = new Heard() {
                @Override
                public void control(int opcode, ByteBuf payload) {
                    super.control(opcode, payload);
                    channel.getFirst().pipeline().remove(FrameJoiner.class);
                }
            };
            channel.add(channel(heard, MAX));
            channel.getFirst().writeInbound(bytes(all, 0, cut), bytes(all, cut, all.length));
            assertThat(heard.events).as("cut at %d", cut).containsExactly("control 9 go");
        }
    }

    @Test
    void aListenerThatFailsLosesNoBuffer() {
        byte[] all = join(frame(FrameJoiner.TEXT, "one"), frame(FINAL | FrameJoiner.CONTINUATION, "two"));
        for (int cut = 1; cut < all.length; cut++) {
            int at = cut;
            EmbeddedChannel channel = channel(
                    new Heard() {
                        @Override
                        public void message(ByteBuf payload) {
                            throw new IllegalStateException("a bug");
                        }
                    },
                    MAX);
            assertThatThrownBy(() -> channel.writeInbound(bytes(all, 0, at), bytes(all, at, all.length)))
                    .hasMessage("a bug");
        }
    }

    @Test
    void otherEventsArePassedOn() {
        EmbeddedChannel channel = channel(new Heard(), MAX);
        channel.writeInbound("an event of another handler");
        assertThat(channel.<String>readInbound()).isEqualTo("an event of another handler");
    }

    private List<String> read(byte[] all, int cut) {
        Heard heard = new Heard();
        EmbeddedChannel channel = channel(heard, MAX);
        ByteBuf first = bytes(all, 0, cut);
        ByteBuf second = bytes(all, cut, all.length);
        channel.writeInbound(first, second);
        assertThat(first.refCnt() + second.refCnt()).isZero();
        channel.finishAndReleaseAll();
        return heard.events;
    }

    private EmbeddedChannel channel(FrameJoiner.Listener listener, int maxMessageBytes) {
        EmbeddedChannel channel = new EmbeddedChannel();
        channel.config().setAllocator(memory);
        channel.pipeline().addLast(new FrameJoiner(listener, maxMessageBytes));
        channels.add(channel);
        return channel;
    }

    private ByteBuf bytes(byte[] all) {
        return bytes(all, 0, all.length);
    }

    private ByteBuf bytes(byte[] all, int from, int to) {
        return memory.directBuffer(Math.max(1, to - from)).writeBytes(all, from, to - from);
    }

    private static String text(int length) {
        return "abcdefghij".repeat(length / 10 + 1).substring(0, length);
    }

    private static byte[] frame(int first, String text) {
        byte[] payload = text.getBytes(StandardCharsets.US_ASCII);
        ByteBuf frame = UnpooledByteBufAllocator.DEFAULT.heapBuffer(payload.length + 10);
        frame.writeByte(first);
        if (payload.length < 126) frame.writeByte(payload.length);
        else if (payload.length < 65_536) frame.writeByte(126).writeShort(payload.length);
        else frame.writeByte(127).writeLong(payload.length);
        byte[] bytes = ByteBufUtil.getBytes(frame.writeBytes(payload));
        frame.release();
        return bytes;
    }

    /** A short frame with a length of two bytes. */
    private static byte[] longForm(int length) {
        return join(
                new byte[] {(byte) (FINAL | FrameJoiner.TEXT), 126, 0, (byte) length},
                text(length).getBytes(StandardCharsets.US_ASCII));
    }

    private static byte[] head(byte[] bytes, int length) {
        byte[] head = new byte[length];
        System.arraycopy(bytes, 0, head, 0, length);
        return head;
    }

    private static byte[] join(byte[]... parts) {
        int length = 0;
        for (byte[] part : parts) length += part.length;
        byte[] all = new byte[length];
        int at = 0;
        for (byte[] part : parts) {
            System.arraycopy(part, 0, all, at, part.length);
            at += part.length;
        }
        return all;
    }
}
