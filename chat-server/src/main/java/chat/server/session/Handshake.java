package chat.server.session;

import chat.server.admission.HandshakeLimit;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One socket's place among the handshakes under way. It ends with the first text frame to the client, since a client hears
 * nothing before its JOIN is answered; with the connection; or when it takes too long. Once upgraded it is a handler behind
 * which the outbox writes, and takes itself out of the pipeline: later frames pay nothing. Confined to the event loop.
 */
final class Handshake extends ChannelOutboundHandlerAdapter {
    private final HandshakeLimit limit;
    private final ScheduledFuture<?> patience;
    private @Nullable ChannelHandlerContext place;
    private boolean over;

    private Handshake(Channel channel, HandshakeLimit limit) {
        this.limit = limit;
        long millis = limit.settings().patience().toMillis();
        patience = channel.eventLoop().schedule(this::end, millis, TimeUnit.MILLISECONDS);
        channel.closeFuture().addListener(unused -> end());
    }

    /** Begins one on the channel; null where too many are under way. */
    static @Nullable Handshake begin(Channel channel, HandshakeLimit limit) {
        return limit.tryAcquire() ? new Handshake(channel, limit) : null;
    }

    /** The socket is upgraded: the first frame that passes the guard on its way out ends this. */
    void watch(ChannelPipeline pipeline) {
        if (!over) pipeline.addBefore(GuardedUpgrade.GUARD, "handshake", this);
    }

    private void end() {
        if (over) return;
        over = true;
        patience.cancel(false);
        limit.release();
        if (place != null && !place.isRemoved()) place.pipeline().remove(this);
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        place = context;
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        context.write(message, promise);
        // Pings and closes come as objects, what the outbox sends as the bytes of a frame.
        if (message instanceof ByteBuf) end();
    }
}
