package chat.server.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.ContinuationWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PingWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PongWebSocketFrame;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class FrameGuardTest {
    private final AtomicLong nanos = new AtomicLong();
    private final List<Integer> refusals = new ArrayList<>();
    private final EmbeddedChannel channel = new EmbeddedChannel(guard());

    private FrameGuard guard() {
        return new FrameGuard(1024, new WireSettings(3, 5), nanos::get, refusals::add);
    }

    private void assertClosed(int code) {
        CloseWebSocketFrame close = channel.readOutbound();
        assertThat(close.statusCode()).isEqualTo(code);
        close.release();
        assertThat(refusals).containsExactly(code);
        assertThat(channel.<Object>readOutbound()).isNull();
    }

    private static ByteBuf letters(int count) {
        return Unpooled.copiedBuffer("x".repeat(count), StandardCharsets.US_ASCII);
    }

    @Test
    void asManyPingsAndPongsAreReadAsASecondMayHaveAndNotOneMore() {
        for (int second = 0; second < 3; second++) {
            for (int i = 0; i < 5; i++) {
                WebSocketFrame frame = i % 2 == 0 ? new PingWebSocketFrame() : new PongWebSocketFrame();
                assertThat(channel.writeInbound(frame)).isTrue();
            }
            nanos.addAndGet(1_000_000_000L);
        }
        nanos.addAndGet(-1L);
        for (int i = 0; i < 5; i++) channel.writeInbound(new PongWebSocketFrame());
        channel.releaseInbound();
        PingWebSocketFrame oneTooMany = new PingWebSocketFrame(letters(3));
        assertThat(channel.writeInbound(oneTooMany)).isFalse();
        assertThat(oneTooMany.refCnt()).isZero();
        assertClosed(1008);
    }

    @Test
    void floodsOfAPeerThatDoesNotReadAreCountedToo() {
        channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(1, 2));
        channel.write(Unpooled.buffer(8).writeLong(0));
        for (int i = 0; i < 6; i++) channel.writeInbound(new PingWebSocketFrame());
        assertThat(refusals).containsExactly(1008);
        channel.finishAndReleaseAll();
    }

    @Test
    void fragmentsAreLimitedIncludingEmptyOnes() {
        for (int message = 0; message < 3; message++) {
            channel.writeInbound(new TextWebSocketFrame(false, 0, letters(1)));
            channel.writeInbound(new ContinuationWebSocketFrame(false, 0, letters(0)));
            assertThat(channel.writeInbound(new ContinuationWebSocketFrame(true, 0, letters(1))))
                    .isTrue();
        }
        for (int i = 0; i < 3; i++)
            channel.writeInbound(
                    i == 0
                            ? new TextWebSocketFrame(false, 0, letters(0))
                            : new ContinuationWebSocketFrame(false, 0, letters(0)));
        channel.releaseInbound();
        assertThat(channel.writeInbound(new ContinuationWebSocketFrame(true, 0, letters(1))))
                .isFalse();
        assertClosed(1008);
    }

    @Test
    void fragmentsTogetherMayBeAsLargeAsAFrame() {
        channel.writeInbound(new TextWebSocketFrame(false, 0, letters(1023)));
        assertThat(channel.writeInbound(new ContinuationWebSocketFrame(true, 0, letters(1))))
                .isTrue();
        channel.writeInbound(new TextWebSocketFrame(false, 0, letters(1023)));
        channel.releaseInbound();
        assertThat(channel.writeInbound(new ContinuationWebSocketFrame(true, 0, letters(2))))
                .isFalse();
        assertClosed(1009);
    }

    @Test
    void pingsOfAPeerThatDoesNotReadAreNotAnswered() {
        channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(1, 2));
        channel.write(Unpooled.buffer(8).writeLong(0));
        assertThat(channel.isWritable()).isFalse();

        PingWebSocketFrame unanswered =
                new PingWebSocketFrame(Unpooled.buffer(1).writeByte(1));
        assertThat(channel.writeInbound(unanswered)).isFalse();
        assertThat(unanswered.refCnt()).isZero();

        channel.flush();
        channel.<ByteBuf>readOutbound().release();
        assertThat(channel.writeInbound(new PingWebSocketFrame())).isTrue();
    }

    @Test
    void heldSocketReadsNothingThenContinues() {
        AtomicInteger reads = new AtomicInteger();
        FrameGuard guard = guard();
        EmbeddedChannel counted = new EmbeddedChannel(counts(reads), guard);
        int before = reads.get();
        counted.read();
        assertThat(reads).hasValue(before + 1);
        guard.hold();
        counted.read();
        counted.read();
        assertThat(reads).hasValue(before + 1);
        guard.release(counted);
        assertThat(reads).hasValue(before + 2);
        guard.release(counted);
        assertThat(reads).hasValue(before + 2);
    }

    @Test
    void whileItHoldsAPingThatIsNotAnsweredBringsNothingMoreEither() {
        AtomicInteger reads = new AtomicInteger();
        FrameGuard guard = guard();
        EmbeddedChannel counted = new EmbeddedChannel(counts(reads), guard);
        counted.config().setAutoRead(false);
        counted.config().setWriteBufferWaterMark(new WriteBufferWaterMark(1, 2));
        counted.write(letters(8));
        guard.hold();
        int before = reads.get();
        counted.writeInbound(new PingWebSocketFrame());
        assertThat(reads).hasValue(before);
        guard.release(counted);
        assertThat(reads).hasValue(before + 1);
        counted.finishAndReleaseAll();
    }

    private static ChannelOutboundHandlerAdapter counts(AtomicInteger reads) {
        return new ChannelOutboundHandlerAdapter() {
            @Override
            public void read(ChannelHandlerContext context) {
                reads.incrementAndGet();
            }
        };
    }
}
