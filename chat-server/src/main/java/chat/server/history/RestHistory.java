package chat.server.history;

import chat.protocol.ChatMessage;
import chat.protocol.Member;
import chat.protocol.MessageJson;
import chat.protocol.MessageType;
import chat.protocol.RoomId;
import chat.server.room.History;
import chat.server.room.Recent;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.springframework.web.reactive.function.client.WebClient;

/** Asks the consumer: {@code GET /api/rooms/{roomId}/messages}. */
public final class RestHistory implements History {
    /** Of 1,000 messages of 500 characters each, were all of them escaped. */
    private static final int MAX_ANSWER_BYTES = 8 * 1024 * 1024;

    private final WebClient client;
    private final Duration timeout;

    /** @param timeout of one answer */
    public RestHistory(WebClient.Builder client, URI consumer, Duration timeout) {
        this.client = client.baseUrl(consumer.toString())
                .codecs(codecs -> codecs.defaultCodecs().maxInMemorySize(MAX_ANSWER_BYTES))
                .build();
        this.timeout = timeout;
    }

    @Override
    public CompletionStage<Page> after(RoomId room, long position, int limit) {
        return ask(room, "after", position, limit);
    }

    @Override
    public CompletionStage<Page> before(RoomId room, long position, int limit) {
        return ask(room, "before", position, limit);
    }

    private CompletionStage<Page> ask(RoomId room, String direction, long position, int limit) {
        return client.get()
                .uri(uri -> uri.path("/api/rooms/{room}/messages")
                        .queryParam(direction, Long.toString(position))
                        .queryParam("limit", limit)
                        .build(room.value()))
                .retrieve()
                .bodyToMono(Answer.class)
                .timeout(timeout)
                .map(Answer::page)
                .toFuture()
                .thenApply(page -> Objects.requireNonNull(page, "the consumer gave an empty answer"));
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
            @Nullable String message,
            long timestamp) {
        Recent recent() {
            ChatMessage stored =
                    new ChatMessage(messageId, new Member(userId, username), messageType, message, timestamp);
            return new Recent(Long.parseLong(position), MessageJson.encode(stored));
        }
    }

    record Lost(String from, String to) {
        Gap gap() {
            return new Gap(Long.parseLong(from), Long.parseLong(to));
        }
    }
}
