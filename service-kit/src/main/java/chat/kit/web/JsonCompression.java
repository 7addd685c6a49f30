package chat.kit.web;

import java.util.zip.Deflater;
import org.reactivestreams.Publisher;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.http.server.reactive.ServerHttpResponseDecorator;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/**
 * Compresses JSON larger than 1 KiB for clients that accept gzip. BREACH does not apply: no response contains a secret
 * together with text of the request.
 */
@Order(Ordered.HIGHEST_PRECEDENCE + 3)
final class JsonCompression implements WebFilter {
    private static final int SMALLEST = 1024;

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
        boolean gzip = AcceptedCoding.isGzip(exchange.getRequest().getHeaders());
        return chain.filter(exchange.mutate()
                .response(new Compressing(exchange.getResponse(), gzip))
                .build());
    }

    private static final class Compressing extends ServerHttpResponseDecorator {
        private final boolean gzip;

        Compressing(ServerHttpResponse response, boolean gzip) {
            super(response);
            this.gzip = gzip;
        }

        /** Compresses single buffers, such as JSON; streams are not compressed. */
        @Override
        public Mono<Void> writeWith(Publisher<? extends DataBuffer> body) {
            HttpHeaders headers = getHeaders();
            if (!(body instanceof Mono<? extends DataBuffer> whole) || !isPlainJson(headers))
                return super.writeWith(body);
            headers.add(HttpHeaders.VARY, HttpHeaders.ACCEPT_ENCODING);
            return super.writeWith(gzip ? whole.map(this::compress) : whole);
        }

        private static boolean isPlainJson(HttpHeaders headers) {
            MediaType type = headers.getContentType();
            return type != null
                    && (type.getSubtype().equals("json") || type.getSubtype().endsWith("+json"))
                    && !headers.containsHeader(HttpHeaders.CONTENT_ENCODING)
                    && !headers.containsHeader(HttpHeaders.ETAG);
        }

        private DataBuffer compress(DataBuffer json) {
            if (json.readableByteCount() <= SMALLEST) return json;
            byte[] bytes = new byte[json.readableByteCount()];
            json.read(bytes);
            DataBufferUtils.release(json);
            byte[] compressed = Gzip.compress(bytes, Deflater.BEST_SPEED);
            getHeaders().set(HttpHeaders.CONTENT_ENCODING, AcceptedCoding.GZIP);
            getHeaders().setContentLength(compressed.length);
            return bufferFactory().wrap(compressed);
        }
    }
}
