package chat.server;

import static org.assertj.core.api.Assertions.assertThat;

import chat.log.InMemoryRoomLog;
import chat.server.history.RestHistory;
import chat.server.room.BreakableLog;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Mono;
import reactor.netty.DisposableServer;
import reactor.netty.http.HttpResources;
import reactor.netty.http.server.HttpServer;
import reactor.netty.http.server.HttpServerRequest;
import reactor.netty.http.server.HttpServerResponse;
import tools.jackson.databind.json.JsonMapper;

/**
 * Members that resume while the consumer responds with 503 or not at all, and the log no longer has their messages: they
 * wait for the consumer until the history timeout, and only then receive a GAP.
 */
class ConsumerAwayIT {
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final Duration TIMEOUT = Duration.ofMillis(300);
    private static final Duration SHORT_PATIENCE = Duration.ofMillis(500);
    private static final int SAID = 50;
    private static final int REMEMBERED = 5;

    enum Answer {
        PAGE,
        UNAVAILABLE,
        NONE
    }

    private final List<Answer> next = new ArrayList<>();
    private Answer otherwise = Answer.PAGE;
    private final List<Guest.Heard> stored = new ArrayList<>();

    private final DisposableServer consumer =
            HttpServer.create().host("127.0.0.1").port(0).handle(this::answer).bindNow();
    private final InMemoryRoomLog memory = new InMemoryRoomLog(1, 16 << 20, Clock.systemUTC());
    private final BreakableLog log = new BreakableLog(memory);

    @AfterEach
    void stop() {
        consumer.disposeNow();
        memory.close();
    }

    private synchronized Mono<Void> answer(HttpServerRequest request, HttpServerResponse response) {
        return switch (next.isEmpty() ? otherwise : next.removeFirst()) {
            case PAGE ->
                response.header("Content-Type", "application/json")
                        .sendString(Mono.just(page(after(request.uri()))))
                        .then();
            case UNAVAILABLE -> response.status(503).send();
            case NONE -> Mono.never();
        };
    }

    private synchronized void answers(Answer all, Answer... first) {
        otherwise = all;
        next.clear();
        next.addAll(List.of(first));
    }

    private synchronized boolean hasAnsweredTheFirst() {
        return next.isEmpty();
    }

    private static long after(String uri) {
        return Long.parseLong(uri.replaceFirst(".*[?&]after=(\\d+).*", "$1"));
    }

    private String page(long after) {
        String messages = stored.stream()
                .filter(message -> message.position() > after)
                .map(ConsumerAwayIT::json)
                .collect(Collectors.joining(","));
        return "{\"messages\":[" + messages + "],\"storedThrough\":\""
                + stored.getLast().position() + "\"}";
    }

    private static String json(Guest.Heard message) {
        return String.format(
                Locale.ROOT,
                "{\"position\":\"%d\",\"messageId\":\"%s\",\"messageType\":\"%s\",\"userId\":\"%s\",\"username\":\"guest\",\"message\":%s,\"timestamp\":5}",
                message.position(),
                message.id(),
                message.type(),
                message.userId(),
                JSON.writeValueAsString(message.text()));
    }

    private TestServer server(Duration patience) {
        RestHistory history = new RestHistory(
                URI.create("http://127.0.0.1:" + consumer.port()), null, TIMEOUT, 8, HttpResources.get());
        return TestServer.start(
                log, history, new TestConstants().recentMessages(REMEMBERED).historyPatience(patience));
    }

    /** Sends texts that are all stored; only the consumer still has most of them. */
    private void say(Guest anna) {
        for (int i = 0; i < SAID; i++) anna.awaitAck(anna.text("t" + i));
        synchronized (this) {
            stored.addAll(anna.heard());
        }
        log.readable(false);
    }

    private static List<String> ids(Guest guest) {
        return guest.heard().stream().map(Guest.Heard::id).toList();
    }

    @Test
    void consumerThatReturnsInTimeCausesNoGap() {
        try (TestServer server = server(Duration.ofMinutes(1));
                Guest anna = Guest.connect(server, "room", 1).joined()) {
            say(anna);
            answers(Answer.PAGE, Answer.UNAVAILABLE, Answer.UNAVAILABLE, Answer.NONE, Answer.NONE, Answer.UNAVAILABLE);
            try (Guest again = Guest.connect(server, "room", 2)
                    .resume(anna.heard().getFirst().position())) {
                again.awaitAck(again.text("back"));
                anna.awaitText("back");
                assertThat(hasAnsweredTheFirst()).isTrue();
                assertThat(ids(again)).isEqualTo(ids(anna).subList(1, SAID + 3)); // without the first JOIN
                assertThat(again.frames("GAP")).isEmpty();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"UNAVAILABLE", "NONE"})
    void consumerThatStaysAwayCausesAGapThatLaterHistoryFills(Answer answer) {
        try (TestServer server = server(SHORT_PATIENCE);
                Guest anna = Guest.connect(server, "room", 1).joined()) {
            say(anna);
            List<Guest.Heard> all = anna.heard();
            long position = all.getFirst().position();
            answers(answer);
            long begunNanos = System.nanoTime();
            try (Guest again = Guest.connect(server, "room", 2).resume(position)) {
                again.await("GAP", () -> !again.frames("GAP").isEmpty());
                assertThat(System.nanoTime() - begunNanos).isGreaterThan(SHORT_PATIENCE.toNanos());
                again.awaitAck(again.text("back"));
                assertThat(again.frames("GAP")).singleElement().satisfies(gap -> {
                    assertThat(gap.get("from").asString()).isEqualTo(Long.toString(position));
                    // From the messages that anna received one by one: a frame has the position of its last message.
                    int first = ids(anna).indexOf(again.heard().getFirst().id());
                    assertThat(Long.parseLong(gap.get("to").asString()))
                            .isBetween(
                                    all.get(first - 1).position(),
                                    all.get(first).position() - 1);
                });
                // The messages in memory, including its JOIN.
                assertThat(again.texts()).endsWith("t48", "t49", "back").hasSizeLessThanOrEqualTo(REMEMBERED + 1);
            }
            answers(Answer.PAGE);
            try (Guest third = Guest.connect(server, "room", 3).resume(position)) {
                third.awaitText("t49");
                assertThat(ids(third).subList(0, SAID))
                        .isEqualTo(all.stream().skip(1).map(Guest.Heard::id).toList());
                assertThat(third.frames("GAP")).isEmpty();
            }
        }
    }
}
