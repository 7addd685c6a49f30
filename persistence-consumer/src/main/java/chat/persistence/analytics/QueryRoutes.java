package chat.persistence.analytics;

import chat.persistence.access.Callers;
import io.micrometer.core.instrument.MeterRegistry;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.TreeMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.web.reactive.function.server.RequestPredicates;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerRequest;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.Exceptions;
import reactor.core.publisher.Mono;

/**
 * Handles {@code GET /api/…}: validates the request, runs the query on a thread that may block, and writes the
 * response.
 */
public final class QueryRoutes {
    private final Endpoints endpoints;
    private final AnswerCache cache;
    private final QueryThreads threads;
    private final Callers callers;
    private final BooleanSupplier room;
    private final Clock clock;

    /** The limit on unsent response bytes is reached: clients have not read earlier responses. */
    private static final class NoRoom extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    /**
     * Cache of responses about activity.
     *
     * @param age maximum age of a cached response, 0 (no cache) to 1 hour
     */
    public record CacheSettings(Duration age) {
        public CacheSettings {
            if (age.isNegative() || age.compareTo(Duration.ofHours(1)) > 0)
                throw new IllegalArgumentException("chat.analytics.cache.age must be PT0S to PT1H, not " + age);
        }
    }

    /**
     * @param partitions of the log
     * @param threads threads that run queries, with bounded queues
     * @param room whether a response could be sent now; checked before the database is queried
     */
    public QueryRoutes(
            Snapshots snapshots,
            int partitions,
            CacheSettings settings,
            QueryThreads threads,
            Callers callers,
            BooleanSupplier room,
            MeterRegistry meters,
            Clock clock) {
        this.cache = new AnswerCache(settings.age(), meters);
        this.endpoints = new Endpoints(snapshots, partitions, cache, clock);
        this.threads = threads;
        this.callers = callers;
        this.room = room;
        this.clock = clock;
    }

    public RouterFunction<ServerResponse> routes() {
        RouterFunctions.Builder routes = RouterFunctions.route();
        for (Endpoint<?> endpoint : endpoints.all()) {
            routes = routes.GET(endpoint.path(), request -> answerIfAllowed(endpoint, request));
        }
        for (String below : Endpoints.BRANCHES)
            routes = routes.route(RequestPredicates.path(below + "/**"), request -> Problems.notFound(request.path()));
        return routes.build();
    }

    private Mono<ServerResponse> answerIfAllowed(Endpoint<?> endpoint, ServerRequest request) {
        return callers.ifAllowed(
                request,
                caller -> endpoint.permit().allows(caller, request.pathVariables()),
                () -> answer(endpoint, request));
    }

    private <Q> Mono<ServerResponse> answer(Endpoint<Q> endpoint, ServerRequest request) {
        RequestParams words = new RequestParams(request.pathVariables(), request.queryParams());
        Q question = endpoint.read().apply(words);
        if (!words.errors().isEmpty()) return Problems.badRequest(words.errors());
        Mono<AnswerCache.Kept> asked = Mono.fromCallable(() -> ask(endpoint, question))
                .subscribeOn(endpoint.history().test(question) ? threads.history() : threads.others());
        Mono<AnswerCache.Kept> answer = endpoint.cached() ? cache.get(key(request), asked) : asked;
        return answer.flatMap(kept -> send(endpoint, kept)).onErrorResume(QueryRoutes::problem);
    }

    private <Q> AnswerCache.Kept ask(Endpoint<Q> endpoint, Q question) throws SQLException {
        if (!room.getAsBoolean()) throw new NoRoom();
        return new AnswerCache.Kept(endpoint.answering().answer(question), clock.instant());
    }

    /** The order of the parameters does not matter. */
    private static String key(ServerRequest request) {
        return request.path() + new TreeMap<>(request.queryParams());
    }

    private Mono<ServerResponse> send(Endpoint<?> endpoint, AnswerCache.Kept kept) {
        Instant now = clock.instant();
        ServerResponse.BodyBuilder response = ServerResponse.ok().contentType(MediaType.APPLICATION_JSON);
        if (endpoint.cached() && !cache.age().isZero())
            response = response.cacheControl(CacheControl.maxAge(cache.age()))
                    .header(
                            HttpHeaders.AGE,
                            Long.toString(Math.max(
                                    0, Duration.between(kept.computed(), now).toSeconds())));
        else response = response.cacheControl(CacheControl.noStore());
        return response.bodyValue(kept.answer() instanceof Aged<?> aged ? Answer.of(aged, now) : kept.answer());
    }

    private static Mono<ServerResponse> problem(Throwable failure) {
        return switch (Exceptions.unwrap(failure)) {
            case SQLException sql -> Problems.failed(sql);
            case RejectedExecutionException full -> Problems.full();
            case NoRoom none -> Problems.noRoom();
            default -> Mono.error(failure);
        };
    }
}
