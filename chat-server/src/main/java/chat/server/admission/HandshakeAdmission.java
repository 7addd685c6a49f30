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
 * Where everybody passes who asks for a socket, before anything that costs: the rules are asked in their order, and the
 * first that refuses is the answer. The connection ends with it, so that a client which tries again at once has to pay for
 * a new one.
 */
final class HandshakeAdmission implements WebFilter {
    private final List<HandshakeRule> rules;
    private final ClientAddresses addresses;
    private final Rejections refusals;

    HandshakeAdmission(List<HandshakeRule> rules, ClientAddresses addresses, Rejections refusals) {
        this.rules = List.copyOf(rules);
        this.addresses = addresses;
        this.refusals = refusals;
        for (HandshakeRule rule : this.rules) rule.reasons().forEach(refusals::expect);
    }

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
        ServerHttpRequest request = exchange.getRequest();
        if (!UpgradeRequests.areMeantBy(request)) return chain.filter(exchange);
        UpgradeRequests.unfold(request);
        Rejection refusal = refusal(visit(request));
        return refusal == null ? chain.filter(exchange) : refusals.answer(exchange, refusal);
    }

    private HandshakeRequest visit(ServerHttpRequest request) {
        HttpHeaders headers = request.getHeaders();
        List<String> forwardedFor = headers.getOrEmpty(ClientAddresses.HEADER);
        return new HandshakeRequest(
                addresses.client(request.getRemoteAddress(), forwardedFor), name -> value(headers.get(name)));
    }

    private static @Nullable String value(@Nullable List<String> values) {
        return values == null || values.isEmpty() ? null : String.join(",", values);
    }

    private @Nullable Rejection refusal(HandshakeRequest visit) {
        for (HandshakeRule rule : rules) {
            Rejection refusal = rule.refuses(visit);
            if (refusal != null) return refusal;
        }
        return null;
    }
}
