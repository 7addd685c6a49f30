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

/** Writes error responses as {@code application/problem+json} (RFC 9457). */
final class Problems {
    private static final Logger log = LoggerFactory.getLogger(Problems.class);
    private static final String QUERY_CANCELED = "57014";
    private static final int RETRY_AFTER_SECONDS = 1;
    /** A query that timed out is likely to time out again, so clients should wait longer. */
    private static final int RETRY_SLOW_AFTER_SECONDS = 10;

    private Problems() {}

    /** @param errors reported to the client, all of them */
    static Mono<ServerResponse> badRequest(List<String> errors) {
        ProblemDetail problem = ProblemDetail.forStatusAndDetail(HttpStatus.BAD_REQUEST, String.join("; ", errors));
        problem.setProperty("errors", errors);
        return send(problem, ServerResponse.badRequest());
    }

    static Mono<ServerResponse> notFound(String path) {
        return send(
                ProblemDetail.forStatusAndDetail(
                        HttpStatus.NOT_FOUND, "no endpoint at " + RequestParams.quoted(path) + "; see /openapi.json"),
                ServerResponse.status(HttpStatus.NOT_FOUND));
    }

    static Mono<ServerResponse> failed(SQLException failure) {
        log.warn("A query failed: {}", failure.getMessage());
        return QUERY_CANCELED.equals(failure.getSQLState())
                ? unavailable(
                        "the query timed out; request a shorter range or a smaller limit", RETRY_SLOW_AFTER_SECONDS)
                : unavailable("the database is unavailable", RETRY_AFTER_SECONDS);
    }

    static Mono<ServerResponse> full() {
        return unavailable("too many queries are waiting", RETRY_AFTER_SECONDS);
    }

    static Mono<ServerResponse> noRoom() {
        return unavailable("too many response bytes are waiting for slow clients", RETRY_AFTER_SECONDS);
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
