package chat.persistence.analytics;

import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerRequest;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/** {@code GET /api/rooms/{roomId}/messages}: checks, asks the database on a thread that may block, answers. */
public final class HistoryRoutes {
    private static final Logger log = LoggerFactory.getLogger(HistoryRoutes.class);
    private static final int RETRY_AFTER_SECONDS = 1;

    private final RoomHistory history;
    private final Scheduler blocking;

    /** @param blocking where queries run: bounded in threads and in what waits for one */
    public HistoryRoutes(RoomHistory history, Scheduler blocking) {
        this.history = history;
        this.blocking = blocking;
    }

    public RouterFunction<ServerResponse> routes() {
        return RouterFunctions.route()
                .GET("/api/rooms/{roomId}/messages", this::messages)
                .build();
    }

    private Mono<ServerResponse> messages(ServerRequest request) {
        Map<String, List<String>> parameters = request.queryParams();
        return switch (HistoryRequest.parse(request.pathVariable("roomId"), parameters)) {
            case HistoryRequest.Parsed.Invalid invalid ->
                problem(HttpStatus.BAD_REQUEST, String.join("; ", invalid.errors()), invalid.errors());
            case HistoryRequest.Parsed.Valid valid ->
                Mono.fromCallable(() -> history.find(valid.query()))
                        .subscribeOn(blocking)
                        .flatMap(page -> ServerResponse.ok()
                                .contentType(MediaType.APPLICATION_JSON)
                                .bodyValue(page))
                        .onErrorResume(SQLException.class, HistoryRoutes::unavailable)
                        .onErrorResume(
                                RejectedExecutionException.class,
                                full -> problem(
                                        HttpStatus.SERVICE_UNAVAILABLE, "too many queries are waiting", List.of()));
        };
    }

    private static Mono<ServerResponse> unavailable(SQLException failure) {
        log.warn("A query failed: {}", failure.getMessage());
        return problem(HttpStatus.SERVICE_UNAVAILABLE, "the database cannot answer now", List.of());
    }

    private static Mono<ServerResponse> problem(HttpStatus status, String detail, List<String> errors) {
        ProblemDetail problem = ProblemDetail.forStatusAndDetail(status, detail);
        if (!errors.isEmpty()) problem.setProperty("errors", errors);
        ServerResponse.BodyBuilder response =
                ServerResponse.status(status).contentType(MediaType.APPLICATION_PROBLEM_JSON);
        if (status == HttpStatus.SERVICE_UNAVAILABLE)
            response = response.header("Retry-After", Integer.toString(RETRY_AFTER_SECONDS));
        return response.bodyValue(problem);
    }
}
