package chat.load.driver;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PingWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PongWebSocketFrame;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketClientHandshaker;
import io.netty.handler.codec.http.websocketx.WebSocketClientHandshakerFactory;
import io.netty.handler.codec.http.websocketx.WebSocketFrameAggregator;
import io.netty.handler.codec.http.websocketx.WebSocketVersion;
import java.net.URI;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One WebSocket: upgrade, whole text frames in, text frames out, pongs, close. It lives on its channel's event loop, and
 * tells its listener exactly once that it ended.
 */
final class ChatSocket extends SimpleChannelInboundHandler<Object> {
    interface Listener {
        /** The upgrade is done. */
        void opened();

        /** A sign of life other than a text frame. */
        void heard();

        /** A whole text frame, valid during the call only. */
        void frame(ByteBuf utf8);

        void ended(Ending ending);
    }

    static final int MAX_FRAME_BYTES = 4 << 20;
    private static final String SUBPROTOCOL = "confab.v1";
    private static final int HANDSHAKE_SECONDS = 10;
    private static final int CLOSE_SECONDS = 2;

    private final Listener listener;
    private final WebSocketClientHandshaker handshaker;
    private @Nullable Channel channel;
    private @Nullable Ending ending;
    private boolean told;
    private boolean unflushed;
    private boolean closing;

    ChatSocket(URI uri, Listener listener) {
        this.listener = listener;
        this.handshaker = WebSocketClientHandshakerFactory.newHandshaker(
                uri,
                WebSocketVersion.V13,
                SUBPROTOCOL,
                false,
                new DefaultHttpHeaders(),
                MAX_FRAME_BYTES,
                true,
                false,
                TimeUnit.SECONDS.toMillis(CLOSE_SECONDS));
    }

    /** The connection attempt is over. */
    void connected(ChannelFuture connect) {
        if (!connect.isSuccess()) end(Ending.abnormal(reason(connect.cause())));
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        channel = ctx.channel();
        if (ending != null) ctx.close();
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        handshaker.handshake(ctx.channel());
        ctx.executor()
                .schedule(
                        () -> {
                            if (!handshaker.isHandshakeComplete()) fail(Ending.abnormal("no answer to the upgrade"));
                        },
                        HANDSHAKE_SECONDS,
                        TimeUnit.SECONDS);
    }

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, Object message) {
        switch (message) {
            case FullHttpResponse response -> upgraded(ctx, response);
            case TextWebSocketFrame text -> {
                if (!told) listener.frame(text.content());
            }
            case PingWebSocketFrame ping -> {
                listener.heard();
                ctx.write(new PongWebSocketFrame(ping.content().retain()));
                unflushed = true;
            }
            case CloseWebSocketFrame close -> {
                if (closing) {
                    ctx.close();
                    return;
                }
                ending = new Ending(close.statusCode() < 0 ? 1005 : close.statusCode(), close.reasonText());
                ctx.writeAndFlush(close.retain()).addListener(sent -> ctx.close());
            }
            default -> {
                // A pong, or a binary frame, which the protocol does not have.
            }
        }
    }

    private void upgraded(ChannelHandlerContext ctx, FullHttpResponse response) {
        if (handshaker.isHandshakeComplete()) return;
        if (response.status().code() != 101) {
            fail(new Ending(response.status().code(), "instead of 101 to the upgrade"));
            return;
        }
        try {
            handshaker.finishHandshake(ctx.channel(), response);
        } catch (RuntimeException wrong) {
            fail(Ending.abnormal(reason(wrong)));
            return;
        }
        ctx.pipeline().addBefore(ctx.name(), null, new WebSocketFrameAggregator(MAX_FRAME_BYTES));
        listener.opened();
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        flush();
        ctx.fireChannelReadComplete();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        Ending seen = ending;
        end(seen == null ? Ending.abnormal("the connection ended without a close frame") : seen);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        fail(Ending.abnormal(reason(cause)));
    }

    ByteBuf buffer(int capacity) {
        return open().alloc().directBuffer(capacity);
    }

    /** Takes the frame over; it leaves with the next {@link #flush}, which the end of a read brings by itself. */
    void write(ByteBuf utf8) {
        open().write(new TextWebSocketFrame(utf8), open().voidPromise());
        unflushed = true;
    }

    void flush() {
        if (!unflushed) return;
        unflushed = false;
        open().flush();
    }

    /** Says goodbye; the server's answer, or two seconds without one, end the connection. */
    void close() {
        closing = true;
        if (handshaker.isHandshakeComplete()) handshaker.close(open(), new CloseWebSocketFrame(1000, ""));
        else fail(Ending.abnormal("given up before the upgrade"));
    }

    /** Ends the connection without a word. */
    void fail(Ending why) {
        if (ending == null) ending = why;
        if (channel != null) channel.close();
    }

    private Channel open() {
        Channel mine = channel;
        if (mine == null) throw new IllegalStateException("no channel yet");
        return mine;
    }

    private void end(Ending how) {
        if (told) return;
        told = true;
        listener.ended(how);
    }

    private static String reason(@Nullable Throwable cause) {
        if (cause == null) return "cancelled";
        String message = cause.getMessage();
        return message == null ? cause.getClass().getSimpleName() : message;
    }

    static HttpObjectAggregator responseAggregator() {
        return new HttpObjectAggregator(16_384);
    }
}
