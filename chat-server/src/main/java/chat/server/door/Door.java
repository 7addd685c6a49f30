package chat.server.door;

import chat.server.limit.DoorRule;
import chat.server.limit.Refusal;
import chat.server.limit.Visit;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpResponse;
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
    private final MeterRegistry registry;
    private final RefusalLog log;

    Door(List<DoorRule> rules, MeterRegistry registry, RefusalLog log) {
        this.rules = List.copyOf(rules);
        this.registry = registry;
        this.log = log;
        for (DoorRule rule : this.rules) rule.reasons().forEach(this::counter);
    }

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
        if (!asksForSocket(exchange.getRequest().getHeaders())) return chain.filter(exchange);
        Refusal refusal = refusal(visit(exchange.getRequest()));
        return refusal == null ? chain.filter(exchange) : refuse(exchange.getResponse(), refusal);
    }

    /** By the header and not by the path, which has many spellings; a client that would like HTTP/2 has an Upgrade as well. */
    private static boolean asksForSocket(HttpHeaders headers) {
        for (String upgrade : headers.getOrEmpty(HttpHeaders.UPGRADE))
            if (upgrade.toLowerCase(Locale.ROOT).contains("websocket")) return true;
        return false;
    }

    private static Visit visit(ServerHttpRequest request) {
        InetSocketAddress remote = request.getRemoteAddress();
        return new Visit(remote == null ? null : remote.getAddress(), request.getHeaders()::getFirst);
    }

    private @Nullable Refusal refusal(Visit visit) {
        for (DoorRule rule : rules) {
            Refusal refusal = rule.refuses(visit);
            if (refusal != null) return refusal;
        }
        return null;
    }

    private Counter counter(String reason) {
        return Counter.builder("chat.refused").tag("reason", reason).register(registry);
    }

    private Mono<Void> refuse(ServerHttpResponse response, Refusal refusal) {
        counter(refusal.reason()).increment();
        log.refused(refusal);
        HttpStatus status = HttpStatus.valueOf(refusal.status());
        byte[] problem = "{\"title\":\"%s\",\"status\":%d,\"reason\":\"%s\"}"
                .formatted(status.getReasonPhrase(), status.value(), refusal.reason())
                .getBytes(StandardCharsets.UTF_8);
        response.setStatusCode(status);
        HttpHeaders headers = response.getHeaders();
        Duration retryAfter = refusal.retryAfter();
        if (retryAfter != null) headers.set(HttpHeaders.RETRY_AFTER, Long.toString(seconds(retryAfter, status)));
        headers.set(HttpHeaders.CONNECTION, "close");
        headers.setContentType(MediaType.APPLICATION_PROBLEM_JSON);
        headers.setContentLength(problem.length);
        return response.writeWith(Mono.just(response.bufferFactory().wrap(problem)));
    }

    /** A 429 is about one client; of those who find the server busy in the same second not all may come back in one. */
    private static long seconds(Duration retryAfter, HttpStatus status) {
        long seconds = retryAfter.toSeconds();
        return status == HttpStatus.SERVICE_UNAVAILABLE
                ? seconds + ThreadLocalRandom.current().nextLong(seconds + 1)
                : seconds;
    }
}
