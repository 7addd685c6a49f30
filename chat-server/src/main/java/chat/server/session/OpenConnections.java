package chat.server.session;

import io.netty.channel.Channel;
import java.net.InetSocketAddress;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

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
