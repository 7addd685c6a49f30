package chat.persistence.dashboard;

import chat.persistence.dashboard.Window.Reading;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.channel.ChannelOption;
import java.net.UnknownHostException;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.client.reactive.ReactorClientHttpConnector;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.function.client.WebClientResponseException;
import reactor.core.Exceptions;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.http.client.HttpClient;
import reactor.netty.resources.ConnectionProvider;

/**
 * Reads the metrics of chat servers on demand: each server at most once a second for any number of viewers, {@value
 * #CONCURRENCY} at a time.
 */
final class Servers {
    private static final Duration CACHED = Duration.ofSeconds(1);
    private static final int CONCURRENCY = 8;
    private static final int MAX_ANSWER_BYTES = 1024 * 1024;

    private final Duration timeout;
    private final Clock clock;
    private final WebClient client;
    private final Counter answered;
    private final Counter failed;
    private final Mono<List<Known>> latest;

    /**
     * One server as of its last reading.
     *
     * @param asOf milliseconds since 1970 of the last response; null: it has never answered
     * @param error why there is no response now, for people; else null
     */
    record Known(
            String name,
            String address,
            @Nullable Long asOf,
            @Nullable String error,
            @Nullable ServerFigures figures) {}

    Servers(DashboardSettings settings, Targets.HostNames names, MeterRegistry meters, Clock clock) {
        this.timeout = settings.timeout();
        this.clock = clock;
        this.client = client(settings.timeout());
        this.answered = reads(meters, "answered");
        this.failed = reads(meters, "failed");
        List<Targets> targets = settings.servers().stream()
                .map(address -> new Targets(address, names, settings.timeout()))
                .toList();
        this.latest = Flux.fromIterable(targets)
                .flatMapSequential(this::readings, CONCURRENCY)
                .flatMapSequential(reading -> reading, CONCURRENCY)
                .collectList()
                .cache(CACHED);
    }

    private static WebClient client(Duration timeout) {
        ConnectionProvider connections = ConnectionProvider.builder("dashboard")
                .maxConnections(CONCURRENCY)
                .maxIdleTime(Duration.ofSeconds(20))
                .build();
        HttpClient http =
                HttpClient.create(connections).option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) timeout.toMillis());
        return WebClient.builder()
                .clientConnector(new ReactorClientHttpConnector(http))
                .codecs(codecs -> codecs.defaultCodecs().maxInMemorySize(MAX_ANSWER_BYTES))
                .build();
    }

    private static Counter reads(MeterRegistry meters, String outcome) {
        return Counter.builder("persistence.servers.asked")
                .description("Requests to chat servers for the figures of the dashboard, by outcome")
                .tag("outcome", outcome)
                .register(meters);
    }

    /** In the order of the settings; at most a second old. */
    Mono<List<Known>> latest() {
        return latest;
    }

    private Flux<Mono<Known>> readings(Targets targets) {
        ServerAddress address = targets.address();
        return targets.now()
                .flatMapIterable(found -> found)
                .map(this::read)
                .onErrorResume(failure -> Flux.just(Mono.fromCallable(
                        () -> unknown(address.name(), address.management().toString(), null, words(failure)))));
    }

    private Mono<Known> read(Target target) {
        return client.get()
                .uri(target.management + "/actuator/prometheus?includedNames=" + String.join(",", ServerFigures.NAMES))
                .header(HttpHeaders.ACCEPT, Samples.TYPE)
                .retrieve()
                .bodyToMono(String.class)
                .timeout(timeout)
                .map(text -> known(target, Samples.parse(text)))
                .onErrorResume(failure -> Mono.fromCallable(() -> unknown(target, words(failure))));
    }

    private Known known(Target target, Samples samples) {
        if (!samples.has("chat_sessions")) return unknown(target, "has no metrics of a chat server");
        answered.increment();
        long now = clock.millis();
        target.asOf = now;
        return new Known(
                target.name,
                target.management.toString(),
                now,
                null,
                ServerFigures.of(target.window.add(new Reading(now, samples))));
    }

    private Known unknown(Target target, String error) {
        return unknown(target.name, target.management.toString(), target.asOf, error);
    }

    private Known unknown(String name, String address, @Nullable Long asOf, String error) {
        failed.increment();
        return new Known(name, address, asOf, error, null);
    }

    private String words(Throwable failure) {
        return switch (Exceptions.unwrap(failure)) {
            case TimeoutException late -> "no answer within " + timeout.toMillis() + " ms";
            case WebClientResponseException answer ->
                "answered with status " + answer.getStatusCode().value();
            case UnknownHostException nobody -> "the name has no address";
            default -> "cannot be reached";
        };
    }
}
