package chat.server.session;

import chat.kit.management.http.HttpConnections;
import chat.server.admission.HandshakeLimit;
import chat.server.identity.SessionIdentity;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.websocketx.WebSocket13FrameDecoder;
import io.netty.handler.codec.http.websocketx.WebSocketDecoderConfig;
import io.netty.handler.codec.http.websocketx.WebSocketFrameDecoder;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.buffer.NettyDataBufferFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
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
 * Upgrades like WebFlux's strategy for Reactor Netty, and adds the checks of RFC 6455 to incoming frames: valid UTF-8,
 * no reserved bits, bounded messages. Compression is off, because a small frame could inflate without bound.
 *
 * <p>A handler can read the headers of the handshake only until it returns. Otherwise the socket would keep three
 * copies of them, a third of the memory of an idle socket.
 */
final class GuardedUpgrade implements RequestUpgradeStrategy {
    /** The session attribute that holds the Netty channel. */
    static final String CHANNEL = GuardedUpgrade.class.getName() + ".channel";

    /** The name of the {@link FrameGuard} in the channel's pipeline. */
    static final String GUARD = "guard";

    /** Sent when too many handshakes are in progress; clients add jitter. */
    private static final String RETRY_AFTER_SECONDS = "1";

    private final int maxFrameBytes;
    private final WireSettings settings;
    private final HandshakeLimit limit;
    private final SessionCounters counters;

    GuardedUpgrade(int maxFrameBytes, WireSettings settings, HandshakeLimit limit, SessionCounters counters) {
        this.maxFrameBytes = maxFrameBytes;
        this.settings = settings;
        this.limit = limit;
        this.counters = counters;
    }

    @Override
    public Mono<Void> upgrade(
            ServerWebExchange exchange,
            WebSocketHandler handler,
            @Nullable String subProtocol,
            Supplier<HandshakeInfo> handshakeInfoFactory) {
        ServerHttpResponse response = exchange.getResponse();
        HttpStatus violation = UpgradeRules.violation(exchange.getRequest());
        if (violation != null) {
            response.getHeaders().set(UpgradeRules.VERSION, UpgradeRules.SUPPORTED_VERSION);
            return reject(response, violation);
        }
        HttpServerResponse nettyResponse = ServerHttpResponseDecorator.getNativeResponse(response);
        Handshake handshake = begin(nettyResponse);
        if (handshake == null) {
            response.getHeaders().set(HttpHeaders.RETRY_AFTER, RETRY_AFTER_SECONDS);
            return reject(response, HttpStatus.SERVICE_UNAVAILABLE);
        }
        NettyDataBufferFactory buffers = (NettyDataBufferFactory) response.bufferFactory();
        HandshakeInfo info = handshakeInfoFactory.get();
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
                                guard(connection.channel().pipeline(), handshake);
                            });
                            ReactorNettyWebSocketSession session =
                                    new ReactorNettyWebSocketSession(in, out, info, buffers, maxFrameBytes);
                            session.getAttributes().put(CHANNEL, channel[0]);
                            if (exchange.getAttribute(SessionIdentity.ATTRIBUTE) instanceof SessionIdentity identity)
                                session.getAttributes().put(SessionIdentity.ATTRIBUTE, identity);
                            Mono<Void> handled = handler.handle(session);
                            info.getHeaders().clear();
                            in.headers().clear();
                            nettyResponse.responseHeaders().clear();
                            return handled;
                        },
                        spec.build())));
    }

    private @Nullable Handshake begin(HttpServerResponse response) {
        AtomicReference<@Nullable Handshake> begun = new AtomicReference<>();
        response.withConnection(connection -> begun.set(Handshake.begin(connection.channel(), limit)));
        return begun.get();
    }

    private static Mono<Void> reject(ServerHttpResponse response, HttpStatus status) {
        response.setStatusCode(status);
        response.getHeaders().set(HttpHeaders.CONNECTION, "close");
        return response.setComplete();
    }

    /**
     * Replaces Netty's decoder: it closes the connection itself, before all bytes are read and sometimes without a
     * close frame.
     */
    private void guard(ChannelPipeline pipeline, Handshake handshake) {
        WebSocketDecoderConfig config = WebSocketDecoderConfig.newBuilder()
                .maxFramePayloadLength(maxFrameBytes)
                .closeOnProtocolViolation(false)
                .build();
        FrameGuard guard = new FrameGuard(maxFrameBytes, settings, System::nanoTime, counters::malformed);
        ChannelHandlerContext decoder = pipeline.context(WebSocketFrameDecoder.class);
        String name = decoder.name();
        pipeline.replace(decoder.handler(), name, new WebSocket13FrameDecoder(config) {
            @Override
            public void channelRead(ChannelHandlerContext context, Object bytes) throws Exception {
                guard.heard();
                super.channelRead(context, bytes);
            }
        });
        pipeline.addAfter(name, "utf8", new Utf8Guard());
        pipeline.addAfter("utf8", GUARD, guard);
        handshake.watch(pipeline);
        HttpConnections.leave(pipeline.channel());
    }
}
