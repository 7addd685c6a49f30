package chat.server.room;

import io.netty.channel.AbstractChannel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.EventLoop;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/** Discards all output after Netty's own pipeline and outbound buffer, to measure a frame's cost without the kernel. */
final class SwallowingChannel extends AbstractChannel {
    private static final ChannelMetadata METADATA = new ChannelMetadata(false);

    private final ChannelConfig configuration = new DefaultChannelConfig(this);
    private volatile boolean open = true;

    SwallowingChannel() {
        super(null);
    }

    @Override
    protected void doWrite(ChannelOutboundBuffer frames) {
        while (!frames.isEmpty()) frames.remove();
    }

    @Override
    protected void doClose() {
        open = false;
    }

    @Override
    protected void doDisconnect() {
        open = false;
    }

    @Override
    public ChannelConfig config() {
        return configuration;
    }

    @Override
    public boolean isOpen() {
        return open;
    }

    @Override
    public boolean isActive() {
        return open;
    }

    @Override
    public ChannelMetadata metadata() {
        return METADATA;
    }

    @Override
    protected boolean isCompatible(EventLoop loop) {
        return true;
    }

    @Override
    protected AbstractUnsafe newUnsafe() {
        return new AbstractUnsafe() {
            @Override
            public void connect(SocketAddress remote, SocketAddress local, ChannelPromise promise) {
                promise.setFailure(new UnsupportedOperationException("not connected"));
            }
        };
    }

    @Override
    protected @Nullable SocketAddress localAddress0() {
        return null;
    }

    @Override
    protected @Nullable SocketAddress remoteAddress0() {
        return null;
    }

    @Override
    protected void doBind(SocketAddress local) {
        throw new UnsupportedOperationException("not connected");
    }

    @Override
    protected void doBeginRead() {
        // Never receives anything.
    }
}
