package chat.server.session;

import io.netty.channel.Channel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

/** The connections to the server's port that Netty holds: sockets, handshakes, and requests for the page. Thread-safe. */
public final class OpenConnections {
    private final ChannelGroup open = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    private volatile int port;

    /** The port is bound. */
    public void bound(int port) {
        this.port = port;
    }

    /** A client has connected; it is forgotten by itself when the channel is closed. */
    public void add(Channel channel) {
        open.add(channel);
    }

    public int count() {
        return open.size();
    }

    /**
     * Closes all of them. An event loop that ends may forget to: where it is told to end while it runs its tasks, and need
     * not be quiet before.
     *
     * @param longest waited for that, which is not to be on an event loop
     */
    public void closeAll(Duration longest) {
        open.close().awaitUninterruptibly(longest.toMillis());
    }

    /** That the connections came to; 0 before it is bound. */
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
