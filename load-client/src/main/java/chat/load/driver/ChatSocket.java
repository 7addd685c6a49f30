package chat.load.driver;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.websocketx.BinaryWebSocketFrame;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PongWebSocketFrame;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketClientHandshaker;
import io.netty.handler.codec.http.websocketx.WebSocketClientHandshaker13;
import io.netty.handler.codec.http.websocketx.WebSocketFrameDecoder;
import io.netty.handler.codec.http.websocketx.WebSocketVersion;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Handles one WebSocket: upgrade, incoming and outgoing messages, pongs, close. Confined to its channel's event loop.
 * It reports its end to the listener exactly once.
 */
final class ChatSocket extends SimpleChannelInboundHandler<FullHttpResponse> implements FrameJoiner.Listener {
    interface Listener {
        /** The upgrade is complete. */
        void opened();

        /** The server sent a ping or a pong. */
        void controlFrame();

        /** A complete message arrived; it is valid only during the call. */
        void frame(ByteBuf payload);

        void ended(Ending ending);
    }

    static final int MAX_MESSAGE_BYTES = 4 << 20;
    private static final int HANDSHAKE_SECONDS = 10;
    private static final int CLOSE_SECONDS = 2;
    private static final int LONGEST_RETRY_AFTER_MILLIS = 60_000;
    /** Linux, include/net/tcp_states.h. */
    private static final int TCP_ESTABLISHED = 1;

    private final Listener listener;
    private final boolean binary;
    private final boolean answersPings;
    private final WebSocketClientHandshaker handshaker;
    private @Nullable Channel channel;
    private @Nullable Ending ending;
    private boolean endReported;
    private boolean unflushed;
    private boolean closing;

    /** @param token sent with the upgrade, null for none */
    ChatSocket(
            URI uri,
            @Nullable String subprotocol,
            @Nullable String token,
            boolean binary,
            boolean answersPings,
            Listener listener) {
        this.listener = listener;
        this.binary = binary;
        this.answersPings = answersPings;
        this.handshaker = new Handshaker(uri, subprotocol, token, this);
    }

    private static final class Handshaker extends WebSocketClientHandshaker13 {
        private final FrameJoiner.Listener frames;

        Handshaker(URI uri, @Nullable String subprotocol, @Nullable String token, FrameJoiner.Listener frames) {
            super(
                    uri,
                    WebSocketVersion.V13,
                    subprotocol,
                    false,
                    headers(token),
                    MAX_MESSAGE_BYTES,
                    true,
                    false,
                    TimeUnit.SECONDS.toMillis(CLOSE_SECONDS));
            this.frames = frames;
        }

        private static HttpHeaders headers(@Nullable String token) {
            HttpHeaders headers = new DefaultHttpHeaders();
            return token == null ? headers : headers.set(HttpHeaderNames.AUTHORIZATION, "Bearer " + token);
        }

        @Override
        protected WebSocketFrameDecoder newWebsocketDecoder() {
            return new FrameJoiner(frames, MAX_MESSAGE_BYTES);
        }
    }

    /** Called when the connection attempt has succeeded or failed. */
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
    protected void channelRead0(ChannelHandlerContext ctx, FullHttpResponse response) {
        if (handshaker.isHandshakeComplete()) return;
        if (response.status().code() != 101) {
            fail(new Ending(response.status().code(), "instead of 101 to the upgrade", retryAfterMillis(response)));
            return;
        }
        try {
            handshaker.finishHandshake(ctx.channel(), response);
        } catch (RuntimeException wrong) {
            fail(Ending.abnormal(reason(wrong)));
            return;
        }
        listener.opened();
    }

    /** Reads the value in seconds. Chat servers do not send the date form. */
    private static long retryAfterMillis(FullHttpResponse response) {
        Integer seconds = response.headers().getInt(HttpHeaderNames.RETRY_AFTER);
        return seconds == null ? 0 : Math.clamp(1000L * seconds, 0, LONGEST_RETRY_AFTER_MILLIS);
    }

    @Override
    public void message(ByteBuf payload) {
        if (!endReported) listener.frame(payload);
    }

    @Override
    public void control(int opcode, ByteBuf payload) {
        switch (opcode) {
            case FrameJoiner.PING -> {
                listener.controlFrame();
                if (!answersPings) return;
                open().write(new PongWebSocketFrame(payload.copy()), open().voidPromise());
                unflushed = true;
            }
            case FrameJoiner.CLOSE -> closed(payload);
            default -> listener.controlFrame();
        }
    }

    private void closed(ByteBuf payload) {
        if (closing) {
            open().close();
            return;
        }
        int code = payload.readableBytes() >= 2 ? payload.readUnsignedShort() : 1005;
        ending = new Ending(code, payload.toString(StandardCharsets.UTF_8));
        Channel mine = open();
        mine.writeAndFlush(code == 1005 ? new CloseWebSocketFrame(true, 0, Unpooled.EMPTY_BUFFER) : answer(code))
                .addListener(sent -> mine.close());
    }

    private static CloseWebSocketFrame answer(int code) {
        return new CloseWebSocketFrame(true, 0, Unpooled.buffer(2).writeShort(code));
    }

    @Override
    public void broken(String how) {
        fail(new Ending(1002, "the server " + how));
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

    /** Takes ownership of the message. It is sent with the next {@link #flush}; the end of a read flushes as well. */
    void write(ByteBuf message) {
        open().write(
                        binary ? new BinaryWebSocketFrame(message) : new TextWebSocketFrame(message),
                        open().voidPromise());
        unflushed = true;
    }

    void flush() {
        if (!unflushed) return;
        unflushed = false;
        open().flush();
    }

    void stopReading() {
        open().config().setAutoRead(false);
    }

    void resumeReading() {
        open().config().setAutoRead(true);
    }

    /**
     * Whether the kernel already knows that the connection ended while reading is stopped; false if it cannot be
     * queried.
     */
    boolean hasEndedUnread() {
        return channel instanceof EpollSocketChannel epoll
                && epoll.isOpen()
                && epoll.tcpInfo().state() != TCP_ESTABLISHED;
    }

    /** Sends a close frame. The connection ends with the server's answer, or after two seconds. */
    void close() {
        closing = true;
        if (handshaker.isHandshakeComplete()) handshaker.close(open(), new CloseWebSocketFrame(1000, ""));
        else fail(Ending.abnormal("given up before the upgrade"));
    }

    /** Ends the connection without a close frame. */
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
        if (endReported) return;
        endReported = true;
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
