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
 * One handshake in progress; it holds a slot of the {@link HandshakeLimit}. It ends with the first text frame to the
 * client, which is the response to its JOIN, when the connection closes, or after a timeout. After the upgrade it is a
 * handler in the pipeline that sees outgoing frames, and removes itself with the first one, so later frames cost
 * nothing. Confined to the event loop.
 */
final class Handshake extends ChannelOutboundHandlerAdapter {
    private final HandshakeLimit limit;
    private final ScheduledFuture<?> timeout;
    private @Nullable ChannelHandlerContext context;
    private boolean over;

    private Handshake(Channel channel, HandshakeLimit limit) {
        this.limit = limit;
        long millis = limit.settings().patience().toMillis();
        timeout = channel.eventLoop().schedule(this::end, millis, TimeUnit.MILLISECONDS);
        channel.closeFuture().addListener(unused -> end());
    }

    /** Begins a handshake on the channel; null if too many are in progress. */
    static @Nullable Handshake begin(Channel channel, HandshakeLimit limit) {
        return limit.tryAcquire() ? new Handshake(channel, limit) : null;
    }

    /** Called after the upgrade: the first outgoing text frame ends the handshake. */
    void watch(ChannelPipeline pipeline) {
        if (!over) pipeline.addBefore(GuardedUpgrade.GUARD, "handshake", this);
    }

    private void end() {
        if (over) return;
        over = true;
        timeout.cancel(false);
        limit.release();
        if (context != null && !context.isRemoved()) context.pipeline().remove(this);
    }

    @Override
    public void handlerAdded(ChannelHandlerContext added) {
        context = added;
    }

    @Override
    public void write(ChannelHandlerContext writing, Object message, ChannelPromise promise) {
        writing.write(message, promise);
        // Pings and close frames are objects; the outbox writes encoded frames.
        if (message instanceof ByteBuf) end();
    }
}
