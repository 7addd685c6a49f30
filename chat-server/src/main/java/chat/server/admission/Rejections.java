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
 * Sends the responses to rejected requests for a WebSocket. Counts and logs upgrades only, not plain requests that ask
 * for the reason. Thread-safe.
 */
public final class Rejections {
    private final MeterRegistry registry;
    private final RejectionLog log;

    Rejections(MeterRegistry registry, RejectionLog log) {
        this.registry = registry;
        this.log = log;
    }

    /** Registers the counter of a reason at 0. */
    public void expect(String reason) {
        Counter unused = counter(reason);
    }

    private Counter counter(String reason) {
        return Counter.builder("chat.refused").tag("reason", reason).register(registry);
    }

    /** Sends the response and closes the connection. */
    public Mono<Void> respond(ServerWebExchange exchange, Rejection rejection) {
        if (UpgradeRequests.areAskedFor(exchange.getRequest().getHeaders())) {
            counter(rejection.reason()).increment();
            log.rejected(rejection);
        }
        ServerHttpResponse response = exchange.getResponse();
        HttpStatus status = HttpStatus.valueOf(rejection.status());
        Duration retryAfter = rejection.retryAfter();
        if (retryAfter != null)
            response.getHeaders().set(HttpHeaders.RETRY_AFTER, Long.toString(seconds(retryAfter, status)));
        response.getHeaders().set(HttpHeaders.CONNECTION, "close");
        return write(response, status, rejection.reason(), rejection.detail());
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

    /** Answers a plain request that would be accepted as an upgrade. */
    public static Mono<Void> askForUpgrade(ServerHttpResponse response) {
        HttpHeaders headers = response.getHeaders();
        headers.setUpgrade("websocket");
        headers.setConnection("Upgrade");
        return write(
                response,
                HttpStatus.UPGRADE_REQUIRED,
                "upgrade",
                "this path accepts WebSocket upgrades only; an upgrade from this client would be accepted");
    }

    /** Randomizes a 503, which many clients get in the same second; a 429 is about one client. */
    private static long seconds(Duration retryAfter, HttpStatus status) {
        long seconds = retryAfter.toSeconds();
        return status == HttpStatus.SERVICE_UNAVAILABLE
                ? seconds + ThreadLocalRandom.current().nextLong(seconds + 1)
                : seconds;
    }
}
