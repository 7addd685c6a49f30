package chat.kit.admission;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;
import reactor.netty.http.server.HttpServerRequest;

/**
 * Rejects requests that RFC 9112 forbids but Netty accepts: versions other than 1.0 and 1.1, a number of {@code Host}
 * headers other than one (in 1.0: more than one), and transfer codings other than {@code chunked} alone.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
public final class StrictRequests implements WebFilter {
    private static final String CHUNKED = "chunked";

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
        HttpStatus refusal = refusal(exchange.getRequest());
        if (refusal == null) return chain.filter(exchange);
        ServerHttpResponse response = exchange.getResponse();
        response.setStatusCode(refusal);
        response.getHeaders().set(HttpHeaders.CONNECTION, "close");
        return response.setComplete();
    }

    private static @Nullable HttpStatus refusal(ServerHttpRequest request) {
        HttpServerRequest netty = ServerHttpRequestDecorator.getNativeRequest(request);
        String version = netty.version().text();
        int hosts = request.getHeaders().getOrEmpty(HttpHeaders.HOST).size();
        List<String> codings = request.getHeaders().getOrEmpty(HttpHeaders.TRANSFER_ENCODING);
        if (!codings.isEmpty() && (codings.size() > 1 || !codings.getFirst().equalsIgnoreCase(CHUNKED)))
            return HttpStatus.BAD_REQUEST;
        return switch (version) {
            case "HTTP/1.1" -> hosts == 1 ? null : HttpStatus.BAD_REQUEST;
            case "HTTP/1.0" -> hosts <= 1 ? null : HttpStatus.BAD_REQUEST;
            default -> HttpStatus.HTTP_VERSION_NOT_SUPPORTED;
        };
    }
}
