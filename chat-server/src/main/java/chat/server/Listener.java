package chat.server;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.reactor.netty.NettyServerCustomizer;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;

/** The server's port, which can be closed before the connections that came through it. */
final class Listener implements NettyServerCustomizer {
    private static final Duration LONGEST = Duration.ofSeconds(1);

    private volatile @Nullable DisposableServer bound;

    @Override
    public HttpServer apply(HttpServer server) {
        return server.doOnBound(port -> bound = port);
    }

    /**
     * Closes the port but no connections. The operating system rejects new ones, so a load balancer chooses another
     * server.
     */
    void close() {
        DisposableServer port = bound;
        if (port == null) return;
        port.dispose(); // closes only the port, because no channel group is configured
        port.onDispose().timeout(LONGEST).onErrorComplete().block();
    }
}
