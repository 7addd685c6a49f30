package chat.server.session;

import chat.server.admission.Rejections;
import chat.server.admission.UpgradeRequests;
import org.springframework.web.reactive.socket.WebSocketHandler;
import org.springframework.web.reactive.socket.server.RequestUpgradeStrategy;
import org.springframework.web.reactive.socket.server.support.HandshakeWebSocketService;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** Responds to requests without an upgrade as this server does; WebFlux alone would respond with 400. */
final class SocketHandshakes extends HandshakeWebSocketService {
    SocketHandshakes(RequestUpgradeStrategy strategy) {
        super(strategy);
    }

    @Override
    public Mono<Void> handleRequest(ServerWebExchange exchange, WebSocketHandler handler) {
        return UpgradeRequests.areAskedFor(exchange.getRequest().getHeaders())
                ? super.handleRequest(exchange, handler)
                : Rejections.askForUpgrade(exchange.getResponse());
    }
}
