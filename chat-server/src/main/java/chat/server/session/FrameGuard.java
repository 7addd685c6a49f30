package chat.server.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.ContinuationWebSocketFrame;
import io.netty.handler.codec.http.websocketx.CorruptedWebSocketFrameException;
import io.netty.handler.codec.http.websocketx.PingWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PongWebSocketFrame;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketCloseStatus;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketFrameAggregator;
import io.netty.util.ReferenceCountUtil;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Answers what breaks RFC 6455 with its close code: what the decoder and the UTF-8 validator find, and what they let
 * through: fragments that add up to more than a frame may have, and binary data. And sees to the end of a connection:
 * after a close frame nothing is sent any more, and the connection is closed when the peer has answered, or has not for
 * a while. Until then what it sends is read and dropped: closing with unread bytes would reset the connection, and the
 * peer might never see why. And reads nothing while the session has no use for it.
 *
 * <p>Sits between those two and everything else that reads frames; whatever is written passes it.
 */
final class FrameGuard extends ChannelDuplexHandler {
    /** For the peer to answer our close frame, even if it has to read what was sent before. */
    private static final long CLOSE_GRACE_MILLIS = 4_500;
    /** The same for a peer whose answer we might not understand. */
    private static final long REFUSED_GRACE_MILLIS = 1_000;

    private static final WebSocketCloseStatus TOO_MANY_FRAGMENTS =
            new WebSocketCloseStatus(WebSocketCloseStatus.POLICY_VIOLATION.code(), "too many fragments in one message");
    private static final WebSocketCloseStatus TOO_MANY_CONTROL_FRAMES =
            new WebSocketCloseStatus(WebSocketCloseStatus.POLICY_VIOLATION.code(), "too many pings or pongs");
    private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final int maxFrameBytes;
    private final WireSettings settings;
    private final LongSupplier nanoClock;
    private final IntConsumer refused;
    private long lastHeardNanos;
    private long messageBytes;
    private int fragments;
    private long secondBegan;
    private int controlFrames;
    private boolean closeSent;
    private boolean closeReceived;
    private boolean held;
    private boolean readHeld;

    /** @param refused called for each connection that is closed because of what it sent, with the close code */
    FrameGuard(int maxFrameBytes, WireSettings settings, LongSupplier nanoClock, IntConsumer refused) {
        this.maxFrameBytes = maxFrameBytes;
        this.settings = settings;
        this.nanoClock = nanoClock;
        this.refused = refused;
        this.lastHeardNanos = nanoClock.getAsLong();
        this.secondBegan = lastHeardNanos;
    }

    /**
     * Reads nothing more from the socket. Reactor Netty would go on until 32 frames wait, and the last read may bring
     * thousands of small ones. On the event loop.
     */
    void hold() {
        held = true;
    }

    /** Bytes have come; a frame may take them long. On the event loop. */
    void heard() {
        lastHeardNanos = nanoClock.getAsLong();
    }

    /** When the last bytes came: pings, fragments and parts of a frame do not get as far as the session. On the event loop. */
    long lastHeardNanos() {
        return lastHeardNanos;
    }

    /** Reads again what was to be read in the meantime; on the event loop. */
    void release(Channel channel) {
        held = false;
        if (!readHeld) return;
        readHeld = false;
        channel.read();
    }

    @Override
    public void read(ChannelHandlerContext context) {
        if (held && !closeSent) readHeld = true;
        else context.read();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (!(message instanceof WebSocketFrame frame)) {
            context.fireChannelRead(message);
            return;
        }
        if (frame instanceof CloseWebSocketFrame) closeReceived = true;
        if (closeSent) {
            frame.release();
            if (closeReceived) context.close();
            return;
        }
        WebSocketCloseStatus refusal = refusal(frame);
        if (refusal != null) {
            frame.release();
            refuse(context, refusal);
        } else if (frame instanceof PingWebSocketFrame && !context.channel().isWritable()) {
            // Pongs would pile up without bound for a peer that pings and does not read; RFC 6455, 5.5.3, lets us
            // answer a later ping instead.
            frame.release();
            read(context);
        } else {
            context.fireChannelRead(frame);
        }
    }

    private void refuse(ChannelHandlerContext context, WebSocketCloseStatus status) {
        if (closeSent) return;
        refused.accept(status.code());
        endAfter(REFUSED_GRACE_MILLIS, context.channel().writeAndFlush(new CloseWebSocketFrame(status)));
    }

    @Override
    @SuppressWarnings("deprecation") // of the interface that declares it, not of this
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (cause instanceof CorruptedWebSocketFrameException corrupted) refuse(context, corrupted.closeStatus());
        else context.fireExceptionCaught(cause);
    }

    private @Nullable WebSocketCloseStatus refusal(WebSocketFrame frame) {
        if (frame instanceof CloseWebSocketFrame close) return refusal(close);
        if (frame instanceof PingWebSocketFrame || frame instanceof PongWebSocketFrame)
            return isFlood() ? TOO_MANY_CONTROL_FRAMES : null;
        if (frame instanceof TextWebSocketFrame) {
            messageBytes = 0;
            fragments = 0;
        } else if (!(frame instanceof ContinuationWebSocketFrame)) {
            return WebSocketCloseStatus.INVALID_MESSAGE_TYPE;
        }
        messageBytes += frame.content().readableBytes();
        if (messageBytes > maxFrameBytes) return WebSocketCloseStatus.MESSAGE_TOO_BIG;
        return ++fragments > settings.maxFragments() ? TOO_MANY_FRAGMENTS : null;
    }

    /** What Netty's decoder lets pass: codes that nobody may use, and a reason that ends within a character. */
    private static @Nullable WebSocketCloseStatus refusal(CloseWebSocketFrame close) {
        if (close.statusCode() >= 5000) return WebSocketCloseStatus.PROTOCOL_ERROR;
        ByteBuf body = close.content();
        int reasonBytes = body.readableBytes() - Short.BYTES;
        boolean text = reasonBytes < 1
                || ByteBufUtil.isText(body, body.readerIndex() + Short.BYTES, reasonBytes, StandardCharsets.UTF_8);
        return text ? null : WebSocketCloseStatus.INVALID_PAYLOAD_DATA;
    }

    private boolean isFlood() {
        long now = nanoClock.getAsLong();
        if (now - secondBegan >= SECOND_NANOS) {
            secondBegan = now;
            controlFrames = 0;
        }
        return ++controlFrames > settings.maxControlFrames();
    }

    /** Who goes in the middle of a message is no fault to be logged, but Netty's aggregator would throw it as one. */
    @Override
    public void channelInactive(ChannelHandlerContext context) {
        WebSocketFrameAggregator aggregator = context.pipeline().get(WebSocketFrameAggregator.class);
        if (aggregator != null) context.pipeline().remove(aggregator); // which drops what it has
        context.fireChannelInactive();
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        if (closeSent) {
            ReferenceCountUtil.release(message);
            promise.trySuccess();
            return;
        }
        if (message instanceof CloseWebSocketFrame) {
            closeSent = true;
            ChannelPromise written = promise.unvoid();
            if (closeReceived) written.addListener(ChannelFutureListener.CLOSE);
            else endAfter(CLOSE_GRACE_MILLIS, written);
            context.write(message, written);
        } else {
            context.write(message, promise);
        }
    }

    private static void endAfter(long millis, ChannelFuture closeFrame) {
        closeFrame.channel().eventLoop().schedule(() -> end(closeFrame), millis, TimeUnit.MILLISECONDS);
    }

    /**
     * Closes the connection. If its socket has not even taken the close frame, by a reset: the kernel would go on for minutes
     * to offer what it has to a peer that does not read. On the event loop.
     */
    static void end(ChannelFuture closeFrame) {
        Channel channel = closeFrame.channel();
        if (!closeFrame.isDone()) channel.config().setOption(ChannelOption.SO_LINGER, 0);
        channel.close();
    }
}
