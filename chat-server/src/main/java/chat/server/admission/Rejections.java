package chat.server.admission;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/**
 * Answers refused requests for a socket. Counts and logs the reason of upgrades, not of the
 * plain requests that only ask for the reason. Thread-safe.
 */
public final class Rejections {
    private final MeterRegistry registry;
    private final RejectionLog log;

    Rejections(MeterRegistry registry, RejectionLog log) {
        this.registry = registry;
        this.log = log;
    }

    /** Shows the reason's counter from now on, at 0. */
    public void expect(String reason) {
        Counter unused = counter(reason);
    }

    private Counter counter(String reason) {
        return Counter.builder("chat.refused").tag("reason", reason).register(registry);
    }

    /** Gives the whole answer; the connection ends with it. */
    public Mono<Void> answer(ServerWebExchange exchange, Rejection refusal) {
        if (UpgradeRequests.areAskedFor(exchange.getRequest().getHeaders())) {
            counter(refusal.reason()).increment();
            log.refused(refusal);
        }
        ServerHttpResponse response = exchange.getResponse();
        HttpStatus status = HttpStatus.valueOf(refusal.status());
        Duration retryAfter = refusal.retryAfter();
        if (retryAfter != null)
            response.getHeaders().set(HttpHeaders.RETRY_AFTER, Long.toString(seconds(retryAfter, status)));
        response.getHeaders().set(HttpHeaders.CONNECTION, "close");
        return write(response, status, refusal.reason(), refusal.detail());
    }

    private static Mono<Void> write(
            ServerHttpResponse response, HttpStatus status, String reason, @Nullable String detail) {
        byte[] problem = Problem.of(status, reason, detail);
        response.setStatusCode(status);
        HttpHeaders headers = response.getHeaders();
        headers.setContentType(MediaType.APPLICATION_PROBLEM_JSON);
        headers.setContentLength(problem.length);
        headers.setCacheControl("no-store");
        return response.writeWith(Mono.just(response.bufferFactory().wrap(problem)));
    }

    /** The answer to a plain request that would get a socket if it asked for one. */
    public static Mono<Void> askForUpgrade(ServerHttpResponse response) {
        HttpHeaders headers = response.getHeaders();
        headers.setUpgrade("websocket");
        headers.setConnection("Upgrade");
        return write(
                response,
                HttpStatus.UPGRADE_REQUIRED,
                "upgrade",
                "nothing but a WebSocket is here, and this client may open one");
    }

    /** A 429 is about one client; of those who find the server busy in the same second not all may come back in one. */
    private static long seconds(Duration retryAfter, HttpStatus status) {
        long seconds = retryAfter.toSeconds();
        return status == HttpStatus.SERVICE_UNAVAILABLE
                ? seconds + ThreadLocalRandom.current().nextLong(seconds + 1)
                : seconds;
    }
}
