package chat.server.session;

import chat.protocol.FrameDecoder;
import chat.server.admission.Rejections;
import chat.server.admission.UserSockets;
import chat.server.identity.SessionIdentity;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.http.server.reactive.ServerHttpResponseDecorator;
import org.springframework.web.reactive.socket.HandshakeInfo;
import org.springframework.web.reactive.socket.WebSocketHandler;
import org.springframework.web.reactive.socket.server.RequestUpgradeStrategy;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;
import reactor.netty.http.server.HttpServerResponse;

/**
 * Upgrades a request if the user may hold one more socket. The connection keeps the slot until it closes; a rejected
 * upgrade closes it, too.
 */
final class UserBoundUpgrade implements RequestUpgradeStrategy {
    private final RequestUpgradeStrategy upgrade;
    private final UserSockets sockets;
    private final Rejections rejections;

    UserBoundUpgrade(RequestUpgradeStrategy upgrade, UserSockets sockets, Rejections rejections) {
        this.upgrade = upgrade;
        this.sockets = sockets;
        this.rejections = rejections;
    }

    @Override
    public Mono<Void> upgrade(
            ServerWebExchange exchange,
            WebSocketHandler handler,
            @Nullable String subProtocol,
            Supplier<HandshakeInfo> handshakeInfoFactory) {
        FrameDecoder.KnownSender known =
                exchange.getAttribute(SessionIdentity.ATTRIBUTE) instanceof SessionIdentity identity
                        ? identity.known()
                        : null;
        if (known != null) {
            String user = known.userId();
            if (!sockets.tryAcquire(user)) return rejections.respond(exchange, sockets.rejection());
            releaseWhenClosed(exchange.getResponse(), user);
        }
        return upgrade.upgrade(exchange, handler, subProtocol, handshakeInfoFactory);
    }

    private void releaseWhenClosed(ServerHttpResponse response, String user) {
        HttpServerResponse netty = ServerHttpResponseDecorator.getNativeResponse(response);
        netty.withConnection(
                connection -> connection.channel().closeFuture().addListener(closed -> sockets.release(user)));
    }
}
