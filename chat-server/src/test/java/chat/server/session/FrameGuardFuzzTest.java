package chat.server.session;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.ContinuationWebSocketFrame;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocket13FrameDecoder;
import io.netty.handler.codec.http.websocketx.WebSocketDecoderConfig;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import io.netty.util.ReferenceCountUtil;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** {@code tools/fuzz} searches for bytes that break this; the ordinary tests use those in the resources. */
class FrameGuardFuzzTest {
    private static final int MAX_BYTES = 1024;
    private static final WireSettings SETTINGS = new WireSettings(8, 20);

    /** The result of some bytes: the messages of the session, and the close code; 0: none. */
    private record Outcome(List<String> frames, int closeCode) {}

    /** @param bytes the first says into how large pieces the rest is cut */
    @FuzzTest
    void anyFragmentationYieldsValidMessages(byte[] bytes) {
        if (bytes.length == 0) return;
        Outcome whole = outcome(bytes, bytes.length);
        assertThat(outcome(bytes, 1 + (bytes[0] & 0x1f))).isEqualTo(whole);
        assertThat(whole.closeCode()).isIn(0, 1002, 1003, 1007, 1008, 1009);
    }

    private static Outcome outcome(byte[] bytes, int size) {
        List<Integer> refusals = new ArrayList<>();
        List<String> frames = new ArrayList<>();
        WebSocketDecoderConfig config = WebSocketDecoderConfig.newBuilder()
                .maxFramePayloadLength(MAX_BYTES)
                .closeOnProtocolViolation(false)
                .build();
        EmbeddedChannel channel = new EmbeddedChannel(
                new WebSocket13FrameDecoder(config),
                new Utf8Guard(),
                new FrameGuard(MAX_BYTES, SETTINGS, () -> 0, refusals::add));
        // A closed socket receives nothing more.
        for (int at = 1; at < bytes.length && channel.isOpen(); at += size)
            channel.writeInbound(Unpooled.copiedBuffer(bytes, at, Math.min(size, bytes.length - at)));
        int length = 0;
        int fragments = 0;
        for (WebSocketFrame frame; (frame = channel.readInbound()) != null; frame.release()) {
            ByteBuf content = frame.content();
            frames.add(frame.getClass().getSimpleName()
                    + frame.isFinalFragment()
                    + content.toString(StandardCharsets.ISO_8859_1));
            assertThat(frame.rsv()).isZero();
            if (frame instanceof TextWebSocketFrame) length = fragments = 0;
            if (frame instanceof TextWebSocketFrame || frame instanceof ContinuationWebSocketFrame) {
                length += content.readableBytes();
                assertThat(++fragments).isLessThanOrEqualTo(SETTINGS.maxFragments());
                assertThat(length).isLessThanOrEqualTo(MAX_BYTES);
            } else {
                assertThat(content.readableBytes()).isLessThanOrEqualTo(125);
            }
        }
        int closeCode = 0;
        for (Object written; (written = channel.readOutbound()) != null; ReferenceCountUtil.release(written)) {
            assertThat(written).isInstanceOf(CloseWebSocketFrame.class);
            closeCode = ((CloseWebSocketFrame) written).statusCode();
        }
        assertThat(refusals).hasSize(closeCode == 0 ? 0 : 1);
        channel.finishAndReleaseAll();
        return new Outcome(frames, closeCode);
    }
}
