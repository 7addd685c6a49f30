package chat.server.admission;

import chat.kit.admission.ClientAddresses;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/**
 * Checks every request for a WebSocket against the handshake rules, before anything expensive happens. The first rule
 * that rejects determines the response. The response closes the connection, so a client that retries at once pays for a
 * new one.
 */
final class HandshakeAdmission implements WebFilter {
    private final List<HandshakeRule> rules;
    private final ClientAddresses addresses;
    private final Rejections rejections;

    HandshakeAdmission(List<HandshakeRule> rules, ClientAddresses addresses, Rejections rejections) {
        this.rules = List.copyOf(rules);
        this.addresses = addresses;
        this.rejections = rejections;
        for (HandshakeRule rule : this.rules) rule.reasons().forEach(rejections::expect);
    }

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
        ServerHttpRequest request = exchange.getRequest();
        if (!UpgradeRequests.concern(request)) return chain.filter(exchange);
        UpgradeRequests.normalize(request);
        Rejection rejection = check(handshakeRequest(request));
        return rejection == null ? chain.filter(exchange) : rejections.respond(exchange, rejection);
    }

    private HandshakeRequest handshakeRequest(ServerHttpRequest request) {
        HttpHeaders headers = request.getHeaders();
        List<String> forwardedFor = headers.getOrEmpty(ClientAddresses.HEADER);
        return new HandshakeRequest(
                addresses.client(request.getRemoteAddress(), forwardedFor), name -> value(headers.get(name)));
    }

    private static @Nullable String value(@Nullable List<String> values) {
        return values == null || values.isEmpty() ? null : String.join(",", values);
    }

    private @Nullable Rejection check(HandshakeRequest request) {
        for (HandshakeRule rule : rules) {
            Rejection rejection = rule.check(request);
            if (rejection != null) return rejection;
        }
        return null;
    }
}
