package chat.persistence.dashboard;

import chat.kit.identity.Role;
import chat.persistence.access.Callers;
import chat.persistence.dashboard.Window.Reading;
import chat.persistence.ingest.IngestHealth;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerRequest;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Serves {@code GET /api/servers} and {@code GET /api/consumer} for analysts: current figures of the programs. */
public final class FigureRoutes {
    private static final Duration CACHED = Duration.ofSeconds(1);

    private final Servers servers;
    private final Mono<Own> own;
    private final Supplier<IngestHealth> health;
    private final Callers callers;
    private final Clock clock;

    /**
     * @param health state of reading and storing
     * @param registry the consumer's own metrics; null: there are no Prometheus metrics, and so no figures
     */
    public FigureRoutes(
            DashboardSettings settings,
            Supplier<IngestHealth> health,
            @Nullable PrometheusMeterRegistry registry,
            MeterRegistry meters,
            Callers callers,
            Clock clock) {
        this.servers = new Servers(settings, Targets.HostNames.SYSTEM, meters, clock);
        this.health = health;
        this.callers = callers;
        this.clock = clock;
        this.own = own(registry);
    }

    /** @param asOf milliseconds since 1970 */
    private record Own(long asOf, @Nullable ConsumerFigures figures) {}

    private Mono<Own> own(@Nullable PrometheusMeterRegistry registry) {
        if (registry == null) return Mono.fromCallable(() -> new Own(clock.millis(), null));
        Window window = new Window();
        // Reading gauges may block briefly.
        return Mono.fromCallable(() -> {
                    long now = clock.millis();
                    return new Own(
                            now,
                            ConsumerFigures.of(window.add(new Reading(
                                    now, Samples.parse(registry.scrape(Samples.TYPE, ConsumerFigures.NAMES))))));
                })
                .subscribeOn(Schedulers.boundedElastic())
                .cache(CACHED);
    }

    public RouterFunction<ServerResponse> routes() {
        return RouterFunctions.route()
                .GET("/api/servers", request -> allowed(request, this::servers))
                .GET("/api/consumer", request -> allowed(request, this::consumer))
                .build();
    }

    private Mono<ServerResponse> allowed(ServerRequest request, Supplier<Mono<ServerResponse>> answer) {
        return callers.ifAllowed(request, caller -> caller.role().mayAct(Role.ANALYST), answer);
    }

    /**
     * @param asOf milliseconds since 1970 of the last response; null: there was none
     * @param ageMillis since then
     * @param error why there is no response now, else null
     * @param figures null if there is an error
     */
    record Server(
            String name,
            String address,
            @Nullable Long asOf,
            @Nullable Long ageMillis,
            @Nullable String error,
            @Nullable ServerFigures figures) {}

    record ServerList(List<Server> servers) {}

    private Mono<ServerResponse> servers() {
        return servers.latest()
                .flatMap(known ->
                        ok(new ServerList(known.stream().map(this::aged).toList())));
    }

    private Server aged(Servers.Known known) {
        return new Server(
                known.name(), known.address(), known.asOf(), age(known.asOf()), known.error(), known.figures());
    }

    private @Nullable Long age(@Nullable Long asOf) {
        return asOf == null ? null : Math.max(0, clock.millis() - asOf);
    }

    /** @param figures null: metrics are not collected */
    record Consumer(
            long asOf,
            long ageMillis,
            IngestHealth health,
            @Nullable ConsumerFigures figures) {}

    private Mono<ServerResponse> consumer() {
        return own.flatMap(known -> ok(
                new Consumer(known.asOf(), Math.max(0, clock.millis() - known.asOf()), health.get(), known.figures())));
    }

    private static Mono<ServerResponse> ok(Object answer) {
        return ServerResponse.ok()
                .contentType(MediaType.APPLICATION_JSON)
                .header("Cache-Control", "no-store")
                .bodyValue(answer);
    }
}
