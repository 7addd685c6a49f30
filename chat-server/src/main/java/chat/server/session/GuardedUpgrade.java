package chat.server.session;

import io.netty.channel.Channel;
import io.netty.handler.codec.http.websocketx.Utf8FrameValidator;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.buffer.NettyDataBufferFactory;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.http.server.reactive.ServerHttpResponseDecorator;
import org.springframework.web.reactive.socket.HandshakeInfo;
import org.springframework.web.reactive.socket.WebSocketHandler;
import org.springframework.web.reactive.socket.adapter.ReactorNettyWebSocketSession;
import org.springframework.web.reactive.socket.server.RequestUpgradeStrategy;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;
import reactor.netty.http.server.HttpServerResponse;
import reactor.netty.http.server.WebsocketServerSpec;

/**
 * Upgrades like WebFlux's own strategy for Reactor Netty, and checks what comes in as RFC 6455 wants it: valid UTF-8, no
 * reserved bits, bounded messages. No compression: nothing would bound what a small frame inflates to.
 */
final class GuardedUpgrade implements RequestUpgradeStrategy {
    /** The session attribute that holds the Netty channel. */
    static final String CHANNEL = GuardedUpgrade.class.getName() + ".channel";

    private final int maxFrameBytes;

    GuardedUpgrade(int maxFrameBytes) {
        this.maxFrameBytes = maxFrameBytes;
    }

    @Override
    public Mono<Void> upgrade(
            ServerWebExchange exchange,
            WebSocketHandler handler,
            @Nullable String subProtocol,
            Supplier<HandshakeInfo> handshakeInfoFactory) {
        ServerHttpResponse response = exchange.getResponse();
        HttpServerResponse nettyResponse = ServerHttpResponseDecorator.getNativeResponse(response);
        NettyDataBufferFactory buffers = (NettyDataBufferFactory) response.bufferFactory();
        HandshakeInfo handshake = handshakeInfoFactory.get();
        WebsocketServerSpec.Builder spec = WebsocketServerSpec.builder()
                .maxFramePayloadLength(maxFrameBytes)
                .handlePing(false)
                .compress(false);
        if (subProtocol != null) spec.protocols(subProtocol);
        return response.setComplete()
                .then(Mono.defer(() -> nettyResponse.sendWebsocket(
                        (in, out) -> {
                            Channel[] channel = new Channel[1];
                            in.withConnection(connection -> {
                                channel[0] = connection.channel();
                                connection.addHandlerLast("guard", new FrameGuard(maxFrameBytes));
                                connection.addHandlerLast("utf8", new Utf8FrameValidator(true));
                            });
                            ReactorNettyWebSocketSession session =
                                    new ReactorNettyWebSocketSession(in, out, handshake, buffers, maxFrameBytes);
                            session.getAttributes().put(CHANNEL, channel[0]);
                            return handler.handle(session);
                        },
                        spec.build())));
    }
}
