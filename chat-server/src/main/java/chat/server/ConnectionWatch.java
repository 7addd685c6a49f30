package chat.server;

import chat.server.session.OpenConnections;
import java.net.InetSocketAddress;
import org.springframework.boot.reactor.netty.NettyServerCustomizer;
import reactor.netty.http.server.HttpServer;

/** Lets {@link OpenConnections} know of every connection to the server's port. */
final class ConnectionWatch implements NettyServerCustomizer {
    private final OpenConnections connections;

    ConnectionWatch(OpenConnections connections) {
        this.connections = connections;
    }

    @Override
    public HttpServer apply(HttpServer server) {
        return server.doOnChannelInit((observer, channel, remote) -> connections.add(channel))
                .doOnBound(bound -> {
                    if (bound.address() instanceof InetSocketAddress address) connections.bound(address.getPort());
                });
    }
}
