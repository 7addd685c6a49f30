package chat.server.session;

import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.ContinuationWebSocketFrame;
import io.netty.handler.codec.http.websocketx.CorruptedWebSocketFrameException;
import io.netty.handler.codec.http.websocketx.PingWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PongWebSocketFrame;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketCloseStatus;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import io.netty.util.ReferenceCountUtil;
import java.util.concurrent.TimeUnit;
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
    private static final long CLOSE_GRACE_MILLIS = 5_000;
    /** The same for a peer whose answer we might not understand. */
    private static final long REFUSED_GRACE_MILLIS = 1_000;

    private final int maxFrameBytes;
    private final Runnable refused;
    private long messageBytes;
    private boolean closeSent;
    private boolean closeReceived;
    private boolean held;
    private boolean readHeld;

    /** @param refused called for each connection that is closed because of what it sent */
    FrameGuard(int maxFrameBytes, Runnable refused) {
        this.maxFrameBytes = maxFrameBytes;
        this.refused = refused;
    }

    /**
     * Reads nothing more from the socket. Reactor Netty would go on until 32 frames wait, and the last read may bring
     * thousands of small ones. On the event loop.
     */
    void hold() {
        held = true;
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
        if (frame instanceof PingWebSocketFrame && !context.channel().isWritable()) {
            // Pongs would pile up without bound for a peer that pings and does not read; RFC 6455, 5.5.3, lets us
            // answer a later ping instead.
            frame.release();
            context.read();
            return;
        }
        WebSocketCloseStatus refusal = refusal(frame);
        if (refusal == null) {
            context.fireChannelRead(frame);
        } else {
            frame.release();
            refuse(context, refusal);
        }
    }

    private void refuse(ChannelHandlerContext context, WebSocketCloseStatus status) {
        if (closeSent) return;
        refused.run();
        context.channel().writeAndFlush(new CloseWebSocketFrame(status));
        closeAfter(REFUSED_GRACE_MILLIS, context.channel());
    }

    @Override
    @SuppressWarnings("deprecation") // of the interface that declares it, not of this
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (cause instanceof CorruptedWebSocketFrameException corrupted) refuse(context, corrupted.closeStatus());
        else context.fireExceptionCaught(cause);
    }

    private @Nullable WebSocketCloseStatus refusal(WebSocketFrame frame) {
        if (frame instanceof CloseWebSocketFrame close)
            return close.statusCode() < 5000 ? null : WebSocketCloseStatus.PROTOCOL_ERROR;
        if (frame instanceof PingWebSocketFrame || frame instanceof PongWebSocketFrame) return null;
        if (frame instanceof TextWebSocketFrame) messageBytes = 0;
        else if (!(frame instanceof ContinuationWebSocketFrame)) return WebSocketCloseStatus.INVALID_MESSAGE_TYPE;
        messageBytes += frame.content().readableBytes();
        return messageBytes > maxFrameBytes ? WebSocketCloseStatus.MESSAGE_TOO_BIG : null;
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
            else closeAfter(CLOSE_GRACE_MILLIS, context.channel());
            context.write(message, written);
        } else {
            context.write(message, promise);
        }
    }

    private static void closeAfter(long millis, Channel channel) {
        channel.eventLoop().schedule(() -> channel.close(), millis, TimeUnit.MILLISECONDS);
    }
}
