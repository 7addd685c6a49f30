package chat.server.session;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** The connections to the server's port that Netty holds: sockets, handshakes, and requests for the page. Thread-safe. */
public final class OpenConnections {
    private final Set<Channel> open = ConcurrentHashMap.newKeySet();
    private volatile int port;

    /** The port is bound. */
    public void bound(int port) {
        this.port = port;
    }

    /** A client has connected; it is forgotten by itself when the channel is closed. */
    public void add(Channel channel) {
        open.add(channel);
        channel.closeFuture().addListener(unused -> open.remove(channel));
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
        long deadline = System.nanoTime() + longest.toNanos();
        List<ChannelFuture> closing = open.stream().map(Channel::close).toList();
        for (ChannelFuture one : closing)
            one.awaitUninterruptibly(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
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
