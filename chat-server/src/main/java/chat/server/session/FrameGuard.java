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
 * Closes connections that violate RFC 6455 or the limits of this server, with the matching close code. It handles the
 * errors of the decoder and the UTF-8 validator, and rejects frames that both accept: messages that are too long in all
 * their fragments, binary data, and floods of control frames.
 *
 * <p>It also completes the close handshake: it sends nothing after a close frame and closes the connection when the
 * peer has responded, or after a grace period. Until then it reads and drops incoming frames, because closing with
 * unread bytes resets the connection, and the peer might not receive the close code. It stops reading while the session
 * is busy.
 *
 * <p>Follows the decoder and the validator in the pipeline, before all other handlers; all outgoing frames pass it.
 */
final class FrameGuard extends ChannelDuplexHandler {
    /** Time for the peer to read the backlog and respond to a close frame. */
    private static final long CLOSE_GRACE_MILLIS = 4_500;
    /** The same for a peer that violated the protocol: its response may be unreadable. */
    private static final long REJECTED_GRACE_MILLIS = 1_000;

    private static final WebSocketCloseStatus TOO_MANY_FRAGMENTS =
            new WebSocketCloseStatus(WebSocketCloseStatus.POLICY_VIOLATION.code(), "too many fragments in one message");
    private static final WebSocketCloseStatus TOO_MANY_CONTROL_FRAMES =
            new WebSocketCloseStatus(WebSocketCloseStatus.POLICY_VIOLATION.code(), "too many pings or pongs");
    private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final int maxFrameBytes;
    private final WireSettings settings;
    private final LongSupplier nanoClock;
    private final IntConsumer rejected;
    private long lastHeardNanos;
    private long messageBytes;
    private int fragments;
    private long secondBegan;
    private int controlFrames;
    private boolean closeSent;
    private boolean closeReceived;
    private boolean paused;
    private boolean readPending;

    /** @param rejected called with the close code for each connection that is closed because of an invalid frame */
    FrameGuard(int maxFrameBytes, WireSettings settings, LongSupplier nanoClock, IntConsumer rejected) {
        this.maxFrameBytes = maxFrameBytes;
        this.settings = settings;
        this.nanoClock = nanoClock;
        this.rejected = rejected;
        this.lastHeardNanos = nanoClock.getAsLong();
        this.secondBegan = lastHeardNanos;
    }

    /**
     * Stops reading from the socket. Reactor Netty alone would read on until 32 frames wait, and one read may deliver
     * thousands of small frames. On the event loop.
     */
    void hold() {
        paused = true;
    }

    /** Records that bytes arrived, even if they do not complete a frame. On the event loop. */
    void heard() {
        lastHeardNanos = nanoClock.getAsLong();
    }

    /**
     * When the last bytes arrived. The session itself does not see pings, fragments and incomplete frames. On the event
     * loop.
     */
    long lastHeardNanos() {
        return lastHeardNanos;
    }

    /** Resumes reading. On the event loop. */
    void release(Channel channel) {
        paused = false;
        if (!readPending) return;
        readPending = false;
        channel.read();
    }

    @Override
    public void read(ChannelHandlerContext context) {
        if (paused && !closeSent) readPending = true;
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
        WebSocketCloseStatus violation = violation(frame);
        if (violation != null) {
            frame.release();
            reject(context, violation);
        } else if (frame instanceof PingWebSocketFrame && !context.channel().isWritable()) {
            // Pongs to a peer that sends pings and does not read would queue without bound. RFC 6455, 5.5.3, allows
            // to respond to a later ping instead.
            frame.release();
            read(context);
        } else {
            context.fireChannelRead(frame);
        }
    }

    private void reject(ChannelHandlerContext context, WebSocketCloseStatus status) {
        if (closeSent) return;
        rejected.accept(status.code());
        endAfter(REJECTED_GRACE_MILLIS, context.channel().writeAndFlush(new CloseWebSocketFrame(status)));
    }

    @Override
    @SuppressWarnings("deprecation") // deprecated in ChannelHandler, not in ChannelInboundHandler
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (cause instanceof CorruptedWebSocketFrameException corrupted) reject(context, corrupted.closeStatus());
        else context.fireExceptionCaught(cause);
    }

    private @Nullable WebSocketCloseStatus violation(WebSocketFrame frame) {
        if (frame instanceof CloseWebSocketFrame close) return violation(close);
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

    /** Rejects what Netty's decoder accepts: reserved close codes, and a reason that ends within a character. */
    private static @Nullable WebSocketCloseStatus violation(CloseWebSocketFrame close) {
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

    /** Removes Netty's aggregator, which would report a connection that closes within a message as an error. */
    @Override
    public void channelInactive(ChannelHandlerContext context) {
        WebSocketFrameAggregator aggregator = context.pipeline().get(WebSocketFrameAggregator.class);
        if (aggregator != null) context.pipeline().remove(aggregator); // releases its fragments
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
     * Closes the connection. Resets it if the socket has not accepted the close frame; otherwise the kernel would retry
     * for minutes to send its buffer to a peer that does not read. On the event loop.
     */
    static void end(ChannelFuture closeFrame) {
        Channel channel = closeFrame.channel();
        if (!closeFrame.isDone()) channel.config().setOption(ChannelOption.SO_LINGER, 0);
        channel.close();
    }
}
