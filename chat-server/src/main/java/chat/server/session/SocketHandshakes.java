package chat.server.session;

import chat.server.door.Refusals;
import chat.server.door.Upgrades;
import org.springframework.web.reactive.socket.WebSocketHandler;
import org.springframework.web.reactive.socket.server.RequestUpgradeStrategy;
import org.springframework.web.reactive.socket.server.support.HandshakeWebSocketService;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** WebFlux's own, which would answer 400 to a plain request. */
final class SocketHandshakes extends HandshakeWebSocketService {
    SocketHandshakes(RequestUpgradeStrategy strategy) {
        super(strategy);
    }

    @Override
    public Mono<Void> handleRequest(ServerWebExchange exchange, WebSocketHandler handler) {
        return Upgrades.areAskedFor(exchange.getRequest().getHeaders())
                ? super.handleRequest(exchange, handler)
                : Refusals.askForUpgrade(exchange.getResponse());
    }
}
