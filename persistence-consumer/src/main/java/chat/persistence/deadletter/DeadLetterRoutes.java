package chat.persistence.deadletter;

import chat.log.LineFields;
import chat.persistence.batch.StoreUnavailable;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpStatus;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerRequest;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * Serves {@code /api/dead-letters}. Changes require {@code Content-Type: application/json}: a page of another origin
 * cannot send that without a CORS preflight, which these routes never approve.
 */
public final class DeadLetterRoutes {
    private static final Logger log = LoggerFactory.getLogger(DeadLetterRoutes.class);

    private final DeadLetters letters;
    private final Scheduler blocking;

    /** @param blocking runs the queries, with bounded threads and queue */
    public DeadLetterRoutes(DeadLetters letters, Scheduler blocking) {
        this.letters = letters;
        this.blocking = blocking;
    }

    public RouterFunction<ServerResponse> routes() {
        return RouterFunctions.route()
                .GET("/api/dead-letters", this::list)
                .GET("/api/dead-letters/{id}", request -> one(request, this::show))
                .POST("/api/dead-letters/{id}/replay", request -> change(request, this::replay))
                .POST("/api/dead-letters/{id}/discard", request -> change(request, this::discard))
                .build();
    }

    /**
     * A dead letter without its bytes.
     *
     * @param messageId null: a whole entry of the log
     * @param position decimal
     * @param createdAt, resolvedAt ISO 8601
     */
    record Summary(
            long id,
            @Nullable String messageId,
            int partition,
            String position,
            @Nullable String roomId,
            String reason,
            int bytes,
            String createdAt,
            StoredDeadLetter.State state,
            @Nullable String resolvedAt) {
        static Summary of(StoredDeadLetter letter) {
            return new Summary(
                    letter.id(),
                    letter.messageId() == null ? null : letter.messageId().toString(),
                    letter.partition(),
                    Long.toString(letter.position()),
                    letter.roomId(),
                    letter.reason(),
                    letter.size(),
                    letter.createdAt().toString(),
                    letter.state(),
                    letter.resolvedAt() == null ? null : letter.resolvedAt().toString());
        }
    }

    /** @param next value of {@code after} for the next page; null on the last page */
    record Page(List<Summary> deadLetters, @Nullable String next) {}

    /**
     * A dead letter with its bytes.
     *
     * @param base64 the bytes
     * @param text the bytes if they are UTF-8, else null
     */
    @SuppressWarnings("ArrayRecordComponent") // on its way out
    record Whole(
            Summary deadLetter,
            @Nullable String serverId,
            @Nullable String clientIp,
            byte[] base64,
            @Nullable String text) {}

    /**
     * Result of a replay.
     *
     * @param outcome REPLAYED or REFUSED
     * @param rows number of new rows
     * @param reason why it stays, else null
     */
    record Answer(String outcome, int rows, @Nullable String reason) {}

    private Mono<ServerResponse> list(ServerRequest request) {
        return switch (DeadLetterQuery.parse(request.queryParams())) {
            case DeadLetterQuery.Parsed.Invalid invalid ->
                problem(HttpStatus.BAD_REQUEST, String.join("; ", invalid.errors()));
            case DeadLetterQuery.Parsed.Valid valid ->
                answer(() -> {
                    List<StoredDeadLetter> found = letters.list(valid.query());
                    boolean more = found.size() > valid.query().limit();
                    if (more) found.removeLast();
                    return ok(new Page(
                            found.stream().map(Summary::of).toList(),
                            more ? Long.toString(found.getLast().id()) : null));
                });
        };
    }

    private interface Step {
        Mono<ServerResponse> on(StoredDeadLetter letter) throws SQLException, StoreUnavailable;
    }

    private Mono<ServerResponse> change(ServerRequest request, Step step) {
        if (!isJson(request))
            return problem(HttpStatus.UNSUPPORTED_MEDIA_TYPE, "Content-Type must be application/json");
        return one(
                request, letter -> letter.state() == StoredDeadLetter.State.OPEN ? step.on(letter) : notOpen(letter));
    }

    private static boolean isJson(ServerRequest request) {
        try {
            return request.headers()
                    .contentType()
                    .filter(MediaType.APPLICATION_JSON::isCompatibleWith)
                    .isPresent();
        } catch (InvalidMediaTypeException none) {
            return false;
        }
    }

    private Mono<ServerResponse> one(ServerRequest request, Step step) {
        long id = DeadLetterQuery.id(request.pathVariable("id"));
        if (id < 0) return problem(HttpStatus.BAD_REQUEST, "the id must be a number");
        return answer(() -> {
            Optional<StoredDeadLetter> letter = letters.find(id);
            return letter.isPresent()
                    ? step.on(letter.get())
                    : problem(HttpStatus.NOT_FOUND, "there is no dead letter " + id);
        });
    }

    private Mono<ServerResponse> show(StoredDeadLetter letter) {
        return ok(new Whole(
                Summary.of(letter), letter.serverId(), letter.clientIp(), letter.bytes(), text(letter.bytes())));
    }

    private static @Nullable String text(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException none) {
            return null;
        }
    }

    private Mono<ServerResponse> replay(StoredDeadLetter letter) throws SQLException, StoreUnavailable {
        return switch (letters.replay(letter)) {
            case DeadLetters.Outcome.Replayed replayed -> {
                log.atInfo()
                        .addKeyValue(LineFields.DEAD_LETTER, letter.id())
                        .log("Replayed dead letter {}: {} new row(s)", letter.id(), replayed.rows());
                yield ok(new Answer("REPLAYED", replayed.rows(), null));
            }
            case DeadLetters.Outcome.Refused refused -> ok(new Answer("REFUSED", 0, refused.reason()));
        };
    }

    private Mono<ServerResponse> discard(StoredDeadLetter letter) throws SQLException {
        if (!letters.resolve(letter.id(), StoredDeadLetter.State.DISCARDED)) return notOpen(letter);
        log.atInfo().addKeyValue(LineFields.DEAD_LETTER, letter.id()).log("Discarded dead letter {}", letter.id());
        Optional<StoredDeadLetter> now = letters.find(letter.id());
        return ok(Summary.of(now.orElse(letter)));
    }

    private static Mono<ServerResponse> notOpen(StoredDeadLetter letter) {
        return problem(HttpStatus.CONFLICT, "dead letter " + letter.id() + " is no longer open");
    }

    private Mono<ServerResponse> answer(Callable<Mono<ServerResponse>> work) {
        return Mono.fromCallable(work)
                .subscribeOn(blocking)
                .flatMap(response -> response)
                .onErrorResume(SQLException.class, DeadLetterRoutes::unavailable)
                .onErrorResume(StoreUnavailable.class, DeadLetterRoutes::unavailable)
                .onErrorResume(
                        RejectedExecutionException.class,
                        full -> problem(HttpStatus.SERVICE_UNAVAILABLE, "too many queries are waiting"));
    }

    private static Mono<ServerResponse> unavailable(Exception failure) {
        log.warn("A query of dead letters failed: {}", failure.getMessage());
        return problem(HttpStatus.SERVICE_UNAVAILABLE, "the database is unavailable");
    }

    private static Mono<ServerResponse> ok(Object body) {
        return ServerResponse.ok()
                .contentType(MediaType.APPLICATION_JSON)
                .header("Cache-Control", "no-store")
                .bodyValue(body);
    }

    private static Mono<ServerResponse> problem(HttpStatus status, String detail) {
        ServerResponse.BodyBuilder response =
                ServerResponse.status(status).contentType(MediaType.APPLICATION_PROBLEM_JSON);
        if (status == HttpStatus.SERVICE_UNAVAILABLE) response = response.header("Retry-After", "1");
        return response.bodyValue(ProblemDetail.forStatusAndDetail(status, detail));
    }
}
