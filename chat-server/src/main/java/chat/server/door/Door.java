package chat.server.door;

import chat.kit.admission.ClientAddresses;
import chat.server.limit.DoorRule;
import chat.server.limit.Refusal;
import chat.server.limit.Visit;
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
final class Door implements WebFilter {
    private final List<DoorRule> rules;
    private final ClientAddresses addresses;
    private final Refusals refusals;

    Door(List<DoorRule> rules, ClientAddresses addresses, Refusals refusals) {
        this.rules = List.copyOf(rules);
        this.addresses = addresses;
        this.refusals = refusals;
        for (DoorRule rule : this.rules) rule.reasons().forEach(refusals::expect);
    }

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
        ServerHttpRequest request = exchange.getRequest();
        if (!Upgrades.areMeantBy(request)) return chain.filter(exchange);
        Upgrades.unfold(request);
        Refusal refusal = refusal(visit(request));
        return refusal == null ? chain.filter(exchange) : refusals.answer(exchange, refusal);
    }

    private Visit visit(ServerHttpRequest request) {
        HttpHeaders headers = request.getHeaders();
        List<String> forwardedFor = headers.getOrEmpty(ClientAddresses.HEADER);
        return new Visit(addresses.client(request.getRemoteAddress(), forwardedFor), name -> value(headers.get(name)));
    }

    private static @Nullable String value(@Nullable List<String> values) {
        return values == null || values.isEmpty() ? null : String.join(",", values);
    }

    private @Nullable Refusal refusal(Visit visit) {
        for (DoorRule rule : rules) {
            Refusal refusal = rule.refuses(visit);
            if (refusal != null) return refusal;
        }
        return null;
    }
}
