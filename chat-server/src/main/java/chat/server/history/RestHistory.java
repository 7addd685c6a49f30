package chat.server.history;

import chat.protocol.ChatMessage;
import chat.protocol.FrameRules;
import chat.protocol.Member;
import chat.protocol.MessageJson;
import chat.protocol.MessageType;
import chat.protocol.RoomId;
import chat.server.count.CountersBy;
import chat.server.room.History;
import chat.server.room.RecentMessage;
import io.netty.channel.ChannelOption;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.client.reactive.ReactorClientHttpConnector;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.publisher.Mono;
import reactor.netty.http.client.HttpClient;
import reactor.netty.resources.ConnectionProvider;
import reactor.netty.resources.LoopResources;

/** Reads history from the consumer: {@code GET /api/rooms/{roomId}/messages}. */
public final class RestHistory implements History {
    /** Size of the longest page of the longest messages. */
    private static final int MAX_ANSWER_BYTES =
            FrameRules.LONGEST_HISTORY * FrameRules.longestMessageBytes() + 64 * 1024;

    /** How long a request may wait for a connection. */
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(30);

    private final WebClient client;
    private final LongAdder pending = new LongAdder();
    private final CountersBy<HistoryFailure> failures = new CountersBy<>(HistoryFailure.class);
    private final @Nullable TokenFile token;

    /**
     * @param token sent to the consumer; null: none
     * @param timeout of one response, counted from the moment the request has a connection
     * @param concurrency requests in flight at once; rooms schedule the same number, fairly between users
     * @param loops the event loops to use
     */
    public RestHistory(
            URI consumer, @Nullable TokenFile token, Duration timeout, int concurrency, LoopResources loops) {
        this.token = token;
        ConnectionProvider connections = ConnectionProvider.builder("history")
                .maxConnections(concurrency)
                // The catch-up scheduler bounds the requests; a connection may not have been returned to the pool yet.
                .pendingAcquireMaxCount(-1)
                .pendingAcquireTimeout(LONGEST_WAIT)
                .build();
        HttpClient http = HttpClient.create(connections)
                .runOn(loops)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) timeout.toMillis())
                .responseTimeout(timeout);
        this.client = WebClient.builder()
                .clientConnector(new ReactorClientHttpConnector(http))
                .baseUrl(consumer.toString())
                .codecs(codecs -> codecs.defaultCodecs().maxInMemorySize(MAX_ANSWER_BYTES))
                .build();
    }

    /** Requests in flight and requests that wait for a connection. */
    public long pending() {
        return pending.sum();
    }

    /** Requests that failed for this reason. */
    public LongAdder failures(HistoryFailure why) {
        return failures.of(why);
    }

    @Override
    public CompletableFuture<Page> after(RoomId room, long position, int limit) {
        return ask(room, "after", position, limit);
    }

    @Override
    public CompletableFuture<Page> before(RoomId room, long position, int limit) {
        return ask(room, "before", position, limit);
    }

    private CompletableFuture<Page> ask(RoomId room, String direction, long position, int limit) {
        Mono<Page> page = token == null
                ? page(room, direction, position, limit, headers -> {})
                : token.current()
                        .doOnError(unused -> failures(HistoryFailure.TOKEN).increment())
                        .flatMap(shown ->
                                page(room, direction, position, limit, headers -> headers.setBearerAuth(shown)));
        pending.increment();
        CompletableFuture<@Nullable Page> asked =
                page.doFinally(unused -> pending.decrement()).toFuture();
        CompletableFuture<Page> answer =
                asked.thenApply(read -> Objects.requireNonNull(read, "the consumer sent an empty response"));
        answer.whenComplete((unused, failure) -> {
            if (answer.isCancelled()) asked.cancel(false);
        });
        return answer;
    }

    private Mono<Page> page(RoomId room, String direction, long position, int limit, Consumer<HttpHeaders> headers) {
        return client.get()
                .uri(uri -> uri.path("/api/rooms/{room}/messages")
                        .queryParam(direction, Long.toString(position))
                        .queryParam("limit", limit)
                        .build(room.value()))
                .headers(headers)
                .retrieve()
                .bodyToMono(Answer.class)
                .switchIfEmpty(Mono.error(() -> new IllegalStateException("the consumer sent an empty response")))
                .map(Answer::page)
                .doOnError(failure -> failures(HistoryFailure.of(failure)).increment());
    }

    record Answer(
            List<Stored> messages,
            @Nullable String next,
            @Nullable String storedThrough,
            @Nullable List<Lost> gaps) {
        Page page() {
            return new Page(
                    messages.stream().map(Stored::recent).toList(),
                    next != null,
                    storedThrough == null ? -1 : Long.parseLong(storedThrough),
                    gaps == null ? List.of() : gaps.stream().map(Lost::gap).toList());
        }
    }

    record Stored(
            String position,
            UUID messageId,
            MessageType messageType,
            String userId,
            String username,
            @Nullable String displayName,
            @Nullable String message,
            long timestamp) {
        RecentMessage recent() {
            Member member = new Member(userId, username, displayName);
            ChatMessage stored = new ChatMessage(messageId, member, messageType, message, timestamp);
            return new RecentMessage(Long.parseLong(position), MessageJson.encode(stored));
        }
    }

    record Lost(String from, String to) {
        Gap gap() {
            return new Gap(Long.parseLong(from), Long.parseLong(to));
        }
    }
}
