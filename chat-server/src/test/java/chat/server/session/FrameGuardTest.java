package chat.server.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.websocketx.PingWebSocketFrame;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class FrameGuardTest {
    private final EmbeddedChannel channel = new EmbeddedChannel(new FrameGuard(1024, () -> {}));

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
    void whileItHoldsNothingIsReadAndAfterwardsWhatWasToBe() {
        AtomicInteger reads = new AtomicInteger();
        FrameGuard guard = new FrameGuard(1024, () -> {});
        EmbeddedChannel counted = new EmbeddedChannel(
                new ChannelOutboundHandlerAdapter() {
                    @Override
                    public void read(ChannelHandlerContext context) {
                        reads.incrementAndGet();
                    }
                },
                guard);
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
}
