package chat.server.session;

import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.ContinuationWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PingWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PongWebSocketFrame;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketCloseStatus;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import io.netty.util.ReferenceCountUtil;
import org.jspecify.annotations.Nullable;

/**
 * Refuses what the WebSocket decoder lets through: reserved bits without an extension, fragments that add up to more
 * than a frame may have, and binary data. Sits in front of everything that reads frames.
 */
final class FrameGuard extends ChannelInboundHandlerAdapter {
    private final int maxFrameBytes;
    private long messageBytes;
    private boolean closing;

    FrameGuard(int maxFrameBytes) {
        this.maxFrameBytes = maxFrameBytes;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (closing) {
            ReferenceCountUtil.release(message);
        } else if (message instanceof WebSocketFrame frame) {
            WebSocketCloseStatus refusal = refusal(frame);
            if (refusal == null) context.fireChannelRead(frame);
            else refuse(context, frame, refusal);
        } else {
            context.fireChannelRead(message);
        }
    }

    private @Nullable WebSocketCloseStatus refusal(WebSocketFrame frame) {
        if (frame.rsv() != 0) return WebSocketCloseStatus.PROTOCOL_ERROR;
        if (frame instanceof CloseWebSocketFrame
                || frame instanceof PingWebSocketFrame
                || frame instanceof PongWebSocketFrame) return null;
        if (frame instanceof TextWebSocketFrame) messageBytes = 0;
        else if (!(frame instanceof ContinuationWebSocketFrame)) return WebSocketCloseStatus.INVALID_MESSAGE_TYPE;
        messageBytes += frame.content().readableBytes();
        return messageBytes > maxFrameBytes ? WebSocketCloseStatus.MESSAGE_TOO_BIG : null;
    }

    private void refuse(ChannelHandlerContext context, WebSocketFrame frame, WebSocketCloseStatus status) {
        closing = true;
        frame.release();
        context.writeAndFlush(new CloseWebSocketFrame(status)).addListener(ChannelFutureListener.CLOSE);
    }
}
