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
     * Whoever connects from now on is refused by the operating system; connections stay as they are. A balancer goes to
     * another server then, without being told.
     */
    void close() {
        DisposableServer port = bound;
        if (port == null) return;
        port.dispose(); // of the port alone: no group of channels hangs on it
        port.onDispose().timeout(LONGEST).onErrorComplete().block();
    }
}
