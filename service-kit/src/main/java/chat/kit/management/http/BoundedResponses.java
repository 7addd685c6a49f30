package chat.kit.management.http;

import chat.kit.admission.SocketRoute;
import io.netty.channel.Channel;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.http.server.reactive.ServerHttpResponseDecorator;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;
import reactor.netty.http.server.HttpServerResponse;

/**
 * Handles the requests of a connection one at a time: a pipelined request waits until the client has read the previous
 * response. Counts the bytes that each response holds until then, and responds with 503 if the limit is reached.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class BoundedResponses implements WebFilter {
    /** Reactor Netty requests 128 buffers of a stream in advance, and Spring reads files in chunks of 4 KB. */
    private static final long STREAMED = 128 * 4096;

    private static final byte[] NO_ROOM = """
            {"title":"Service Unavailable","status":503,"detail":"clients have not read too many responses yet; try again in 1 s"}""".getBytes(StandardCharsets.US_ASCII);

    private final SocketRoute sockets;

    BoundedResponses(SocketRoute sockets) {
        this.sockets = sockets;
    }

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
        HttpConnection connection = connection(exchange.getResponse());
        if (connection == null) return chain.filter(exchange);
        return connection.isWritten()
                ? handle(exchange, chain, connection)
                : Mono.<Void>create(sink -> connection.whenWritten(sink::success))
                        .then(Mono.defer(
                                () -> connection.isOpen() ? handle(exchange, chain, connection) : Mono.empty()));
    }

    private static @Nullable HttpConnection connection(ServerHttpResponse response) {
        HttpServerResponse netty = ServerHttpResponseDecorator.getNativeResponse(response);
        AtomicReference<@Nullable Channel> channel = new AtomicReference<>();
        netty.withConnection(connection -> channel.set(connection.channel()));
        Channel known = channel.get();
        return known == null ? null : HttpConnections.of(known);
    }

    private Mono<Void> handle(ServerWebExchange exchange, WebFilterChain chain, HttpConnection connection) {
        // WebSockets have their own limits and would keep these objects for their lifetime; rejected upgrades are
        // small.
        if (sockets.isMeantBy(exchange)) return chain.filter(exchange);
        connection.begin();
        Held response = new Held(exchange.getResponse(), connection);
        // Reactor Netty completes a response before the socket has written it.
        return chain.filter(exchange.mutate().response(response).build())
                .doFinally(signal -> connection.afterWrites(() -> {
                    response.release();
                    connection.finished();
                }));
    }

    /** Counts the bytes of a response until the client has read it. */
    private static final class Held extends ServerHttpResponseDecorator {
        private final HttpConnection connection;
        private final AtomicLong held = new AtomicLong();

        Held(ServerHttpResponse response, HttpConnection connection) {
            super(response);
            this.connection = connection;
        }

        private boolean hold(long bytes) {
            if (!connection.hold(bytes)) return false;
            held.addAndGet(bytes);
            return true;
        }

        void release() {
            connection.release(held.getAndSet(0));
        }

        @Override
        public Mono<Void> writeWith(Publisher<? extends DataBuffer> body) {
            if (body instanceof Mono)
                return Mono.<DataBuffer>from(body)
                        .flatMap(this::write)
                        .doOnDiscard(DataBuffer.class, DataBufferUtils::release);
            long length = getHeaders().getContentLength();
            return hold(length < 0 ? STREAMED : Math.min(length, STREAMED)) ? super.writeWith(body) : refuse();
        }

        private Mono<Void> write(DataBuffer buffer) {
            if (hold(buffer.readableByteCount())) return super.writeWith(Mono.just(buffer));
            DataBufferUtils.release(buffer);
            return refuse();
        }

        @Override
        public Mono<Void> writeAndFlushWith(Publisher<? extends Publisher<? extends DataBuffer>> body) {
            return hold(STREAMED) ? super.writeAndFlushWith(body) : refuse();
        }

        private Mono<Void> refuse() {
            HttpHeaders headers = getHeaders();
            headers.clear();
            setStatusCode(HttpStatus.SERVICE_UNAVAILABLE);
            headers.set(HttpHeaders.RETRY_AFTER, "1");
            headers.set(HttpHeaders.CACHE_CONTROL, "no-store");
            headers.setContentType(MediaType.APPLICATION_PROBLEM_JSON);
            headers.setContentLength(NO_ROOM.length);
            return super.writeWith(Mono.fromSupplier(() -> bufferFactory().wrap(NO_ROOM)));
        }
    }
}
