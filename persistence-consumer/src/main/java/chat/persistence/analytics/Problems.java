package chat.persistence.analytics;

import java.sql.SQLException;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Mono;

/** What is answered instead of figures, as {@code application/problem+json} (RFC 9457). */
final class Problems {
    private static final Logger log = LoggerFactory.getLogger(Problems.class);
    private static final String QUERY_CANCELED = "57014";
    private static final int RETRY_AFTER_SECONDS = 1;
    /** What took too long now may do so again: not at once. */
    private static final int RETRY_SLOW_AFTER_SECONDS = 10;

    private Problems() {}

    /** @param errors each is told */
    static Mono<ServerResponse> badRequest(List<String> errors) {
        ProblemDetail problem = ProblemDetail.forStatusAndDetail(HttpStatus.BAD_REQUEST, String.join("; ", errors));
        problem.setProperty("errors", errors);
        return send(problem, ServerResponse.badRequest());
    }

    static Mono<ServerResponse> notFound(String path) {
        return send(
                ProblemDetail.forStatusAndDetail(
                        HttpStatus.NOT_FOUND,
                        "there is nothing at " + RequestParams.quoted(path) + "; /openapi.json says what there is"),
                ServerResponse.status(HttpStatus.NOT_FOUND));
    }

    static Mono<ServerResponse> failed(SQLException failure) {
        log.warn("A query failed: {}", failure.getMessage());
        return QUERY_CANCELED.equals(failure.getSQLState())
                ? unavailable("the query took too long; ask for less", RETRY_SLOW_AFTER_SECONDS)
                : unavailable("the database cannot answer now", RETRY_AFTER_SECONDS);
    }

    static Mono<ServerResponse> full() {
        return unavailable("too many queries are waiting", RETRY_AFTER_SECONDS);
    }

    static Mono<ServerResponse> noRoom() {
        return unavailable("too much is on its way to clients", RETRY_AFTER_SECONDS);
    }

    private static Mono<ServerResponse> unavailable(String detail, int retryAfterSeconds) {
        return send(
                ProblemDetail.forStatusAndDetail(HttpStatus.SERVICE_UNAVAILABLE, detail),
                ServerResponse.status(HttpStatus.SERVICE_UNAVAILABLE)
                        .header(HttpHeaders.RETRY_AFTER, Integer.toString(retryAfterSeconds)));
    }

    private static Mono<ServerResponse> send(ProblemDetail problem, ServerResponse.BodyBuilder response) {
        return response.contentType(MediaType.APPLICATION_PROBLEM_JSON)
                .header(HttpHeaders.CACHE_CONTROL, "no-store")
                .bodyValue(problem);
    }
}
