package chat.persistence.rate;

import chat.kit.admission.AddressRate;
import chat.kit.admission.ClientAddresses;
import chat.kit.admission.Networks;
import io.github.bucket4j.TimeMeter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.InetAddress;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.web.reactive.function.server.HandlerFilterFunction;
import org.springframework.web.reactive.function.server.HandlerFunction;
import org.springframework.web.reactive.function.server.ServerRequest;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Mono;

/** Rejects requests above the rate limit of their address with a 429, before any other processing. */
public final class RestRate implements HandlerFilterFunction<ServerResponse, ServerResponse> {
    /** Addresses tracked at once: bounds memory if requests come from many addresses. */
    private static final int MAX_ADDRESSES = 100_000;

    private final ClientAddresses addresses;
    private final Networks exempt;
    private final @Nullable AddressRate rate;

    public RestRate(RestRateSettings settings, TimeMeter meter, MeterRegistry registry) {
        this.addresses = settings.addresses();
        this.exempt = settings.exemptNetworks();
        this.rate = settings.rate().isLimited() ? new AddressRate(settings.rate(), MAX_ADDRESSES, meter) : null;
        if (rate != null) register(rate, registry);
    }

    private static void register(AddressRate rate, MeterRegistry registry) {
        FunctionCounter.builder("persistence.rest.rate", rate, AddressRate::admitted)
                .description("REST requests, by whether the rate limit of their client address admitted them")
                .tag("outcome", "admitted")
                .register(registry);
        FunctionCounter.builder("persistence.rest.rate", rate, AddressRate::refused)
                .description("REST requests, by whether the rate limit of their client address admitted them")
                .tag("outcome", "refused")
                .register(registry);
        FunctionCounter.builder("persistence.rest.rate.keys.evicted", rate, AddressRate::evicted)
                .description("Client addresses evicted from the rate limiter because there were too many")
                .register(registry);
        Gauge.builder("persistence.rest.rate.keys", rate, AddressRate::keys)
                .description("Client addresses in the rate limiter")
                .register(registry);
    }

    @Override
    public Mono<ServerResponse> filter(ServerRequest request, HandlerFunction<ServerResponse> next) {
        long seconds = secondsToWait(request);
        return seconds == 0 ? next.handle(request) : tooMany(seconds);
    }

    private long secondsToWait(ServerRequest request) {
        if (rate == null) return 0;
        InetAddress client = addresses.client(
                request.remoteAddress().orElse(null), request.headers().header(ClientAddresses.HEADER));
        return client == null || exempt.contains(client) ? 0 : rate.secondsUntilAdmitted(client);
    }

    private static Mono<ServerResponse> tooMany(long seconds) {
        ProblemDetail problem = ProblemDetail.forStatusAndDetail(
                HttpStatus.TOO_MANY_REQUESTS, "too many requests from this address; retry in " + seconds + " s");
        return ServerResponse.status(HttpStatus.TOO_MANY_REQUESTS)
                .header(HttpHeaders.RETRY_AFTER, Long.toString(seconds))
                .header(HttpHeaders.CACHE_CONTROL, "no-store")
                .contentType(MediaType.APPLICATION_PROBLEM_JSON)
                .bodyValue(problem);
    }
}
