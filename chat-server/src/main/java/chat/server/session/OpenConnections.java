package chat.server.session;

import io.netty.channel.Channel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

/** Tracks the connections to the server's port that Netty holds: sockets, handshakes and HTTP requests. Thread-safe. */
public final class OpenConnections {
    private final ChannelGroup open = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    private volatile int port;

    /** Records the port that the server listens on. */
    public void bound(int port) {
        this.port = port;
    }

    /** Adds the connection of a client; it is removed when the channel closes. */
    public void add(Channel channel) {
        open.add(channel);
    }

    public int count() {
        return open.size();
    }

    /**
     * Closes all connections and waits for it. An event loop that shuts down without a quiet period may leave some
     * open. Blocks: never call it on an event loop.
     *
     * @param longest limit of the wait
     */
    public void closeAll(Duration longest) {
        open.close().awaitUninterruptibly(longest.toMillis());
    }

    /** The port that the server listens on; 0 before it is bound. */
    int port() {
        return port;
    }

    Set<InetSocketAddress> clients() {
        Set<InetSocketAddress> clients = new HashSet<>();
        for (Channel channel : open)
            if (channel.remoteAddress() instanceof InetSocketAddress client) clients.add(client);
        return clients;
    }
}
