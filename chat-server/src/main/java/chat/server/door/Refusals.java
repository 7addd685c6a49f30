package chat.server.door;

import chat.server.limit.Refusal;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpResponse;
import reactor.core.publisher.Mono;

/** How those are answered who get no socket: counted by reason, and said in the log, whoever refuses them. Thread-safe. */
public final class Refusals {
    private final MeterRegistry registry;
    private final RefusalLog log;

    Refusals(MeterRegistry registry, RefusalLog log) {
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
    public Mono<Void> answer(ServerHttpResponse response, Refusal refusal) {
        counter(refusal.reason()).increment();
        log.refused(refusal);
        HttpStatus status = HttpStatus.valueOf(refusal.status());
        byte[] problem = String.format(
                        Locale.ROOT,
                        "{\"title\":\"%s\",\"status\":%d,\"reason\":\"%s\"}",
                        status.getReasonPhrase(),
                        status.value(),
                        refusal.reason())
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
