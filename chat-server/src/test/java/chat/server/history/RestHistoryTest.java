package chat.server.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import chat.protocol.DisplayName;
import chat.protocol.FrameRules;
import chat.protocol.Member;
import chat.protocol.MessageJson;
import chat.protocol.RoomId;
import chat.server.room.History;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Mono;
import reactor.netty.DisposableServer;
import reactor.netty.http.HttpResources;
import reactor.netty.http.server.HttpServer;

/** Against a small server that answers as the consumer does. */
class RestHistoryTest {
    private static final RoomId ROOM = new RoomId("7");
    private static final String ANSWER = "{\"roomId\":\"7\",\"messages\":[{\"position\":\"9007199254740993\","
            + "\"messageId\":\"01960000-0000-7000-8000-000000000001\",\"messageType\":\"TEXT\",\"userId\":\"42\","
            + "\"username\":\"alice42\",\"message\":\"hi\",\"timestamp\":5,\"serverId\":\"one\"}],"
            + "\"next\":\"9007199254740993\",\"storedThrough\":\"9007199254749999\","
            + "\"gaps\":[{\"from\":\"3\",\"to\":\"8\"}]}";

    private final AtomicInteger underWay = new AtomicInteger();
    private final AtomicInteger mostUnderWay = new AtomicInteger();
    private final List<String> asked = new ArrayList<>();
    private Duration delay = Duration.ZERO;
    private int status = 200;
    private String answer = ANSWER;
    private @Nullable TokenFile token;
    private final List<String> shown = new ArrayList<>();

    private final DisposableServer consumer = HttpServer.create()
            .host("127.0.0.1")
            .port(0)
            .handle((request, response) -> {
                synchronized (asked) {
                    asked.add(request.uri());
                    shown.add(String.valueOf(request.requestHeaders().get("Authorization")));
                }
                mostUnderWay.accumulateAndGet(underWay.incrementAndGet(), Math::max);
                return Mono.delay(delay)
                        .doOnNext(unused -> underWay.decrementAndGet())
                        .then(response.status(status)
                                .header("Content-Type", "application/json")
                                .sendString(Mono.just(answer))
                                .then());
            })
            .bindNow();

    @AfterEach
    void stop() {
        consumer.disposeNow();
    }

    private RestHistory history(Duration timeout, int concurrency) {
        return new RestHistory(
                URI.create("http://127.0.0.1:" + consumer.port()), token, timeout, concurrency, HttpResources.get());
    }

    @Test
    void pageIsReadUnchanged() throws Exception {
        History.Page page = get(history(Duration.ofSeconds(5), 1).after(ROOM, 9007199254740992L, 500));
        assertThat(asked).containsExactly("/api/rooms/7/messages?after=9007199254740992&limit=500");
        assertThat(page.more()).isTrue();
        assertThat(page.storedThrough()).isEqualTo(9007199254749999L);
        assertThat(page.gaps()).containsExactly(new History.Gap(3, 8));
        assertThat(page.messages()).hasSize(1);
        assertThat(page.messages().getFirst().position()).isEqualTo(9007199254740993L);
        assertThat(MessageJson.decode(page.messages().getFirst().json()).text()).isEqualTo("hi");
    }

    @Test
    void longestPageOfTheLongestMessagesIsRead() throws Exception {
        String message = "{\"position\":\"9007199254740993\",\"messageId\":\"01960000-0000-7000-8000-000000000001\","
                + "\"messageType\":\"TEXT\",\"userId\":\"" + "\\\"".repeat(Member.MAX_USER_ID)
                + "\",\"username\":\"abcdefghijklmnopqrst\",\"displayName\":\""
                + "\uD83D\uDE00".repeat(DisplayName.MAX_LENGTH)
                + "\",\"message\":\"" + "\uD83D\uDE00".repeat(FrameRules.LONGEST_TEXT)
                + "\",\"timestamp\":1795222910960,\"serverId\":\"" + "s".repeat(64) + "\"}";
        answer = "{\"roomId\":\"7\",\"messages\":[" + (message + ",").repeat(FrameRules.LONGEST_HISTORY - 1) + message
                + "],\"next\":null,\"storedThrough\":\"9007199254749999\",\"gaps\":[]}";
        History.Page page = get(history(Duration.ofSeconds(60), 1).after(ROOM, 1, FrameRules.LONGEST_HISTORY));
        assertThat(page.messages()).hasSize(FrameRules.LONGEST_HISTORY);
        assertThat(MessageJson.decode(page.messages().getFirst().json())
                        .member()
                        .displayName())
                .isEqualTo("\uD83D\uDE00".repeat(DisplayName.MAX_LENGTH));
    }

    @Test
    void concurrentRequestsAreBounded() throws Exception {
        delay = Duration.ofMillis(20);
        RestHistory history = history(Duration.ofSeconds(5), 4);
        List<CompletableFuture<History.Page>> pages = new ArrayList<>();
        for (int i = 0; i < 200; i++) pages.add(history.before(ROOM, 10, 50));
        for (CompletableFuture<History.Page> page : pages)
            assertThat(get(page).messages()).hasSize(1);
        assertThat(mostUnderWay.get()).isBetween(1, 4);
    }

    @Test
    void cancelledRequestIsNotSent() throws Exception {
        delay = Duration.ofMillis(300);
        RestHistory history = history(Duration.ofSeconds(5), 1);
        CompletableFuture<History.Page> first = history.after(ROOM, 1, 50);
        CompletableFuture<History.Page> second = history.after(ROOM, 2, 50);
        CompletableFuture<History.Page> third = history.after(ROOM, 3, 50);
        assertThat(history.pending()).isEqualTo(3);

        second.cancel(false);

        assertThat(history.pending()).isEqualTo(2);
        get(first);
        get(third);
        assertThat(asked)
                .containsExactly("/api/rooms/7/messages?after=1&limit=50", "/api/rooms/7/messages?after=3&limit=50");
    }

    @Test
    void hangingConsumerTimesOut() {
        delay = Duration.ofMinutes(1);
        assertFails(history(Duration.ofMillis(100), 1), HistoryFailure.TIMEOUT);
    }

    private static void assertFails(RestHistory history, HistoryFailure expected) {
        assertThatThrownBy(() -> get(history.after(ROOM, 0, 1))).isInstanceOf(ExecutionException.class);
        for (HistoryFailure why : HistoryFailure.values())
            assertThat(history.failures(why).sum()).as(why.name()).isEqualTo(why == expected ? 1 : 0);
        Awaitility.await().until(() -> history.pending() == 0);
    }

    @ParameterizedTest
    @CsvSource({"500,UNAVAILABLE", "503,UNAVAILABLE", "401,REFUSED", "403,REFUSED", "404,REFUSED"})
    void rejectedRequestIsCountedByItsStatus(int refusal, HistoryFailure expected) {
        status = refusal;
        assertFails(history(Duration.ofSeconds(5), 1), expected);
    }

    @Test
    void missingConsumerIsCountedAsUnreachable() {
        RestHistory history = history(Duration.ofSeconds(5), 1);
        consumer.disposeNow();
        assertFails(history, HistoryFailure.UNREACHABLE);
    }

    @Test
    void tooLargeResponseIsCounted() {
        answer = "{\"roomId\":\"" + "7".repeat(9 << 20) + "\"}";
        assertFails(history(Duration.ofSeconds(20), 1), HistoryFailure.TOO_LARGE);
    }

    @Test
    void emptyResponseFails() {
        answer = "";
        assertFails(history(Duration.ofSeconds(5), 1), HistoryFailure.MALFORMED);
    }

    /** As the pool of connections says it, which waits 30 s before. */
    @Test
    void requestWithoutAConnectionIsCountedAsWaited() {
        assertThat(HistoryFailure.of(new IllegalStateException(new TimeoutException())))
                .isEqualTo(HistoryFailure.WAITED);
    }

    @Test
    void malformedResponseFails() {
        answer = "{\"roomId\":";
        assertFails(history(Duration.ofSeconds(5), 1), HistoryFailure.MALFORMED);
    }

    @Test
    void requestsUseTheTokenOfTheFileAlsoAfterAChange(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("token"), "first\n");
        AtomicLong nanos = new AtomicLong();
        token = new TokenFile(file, nanos::get);
        RestHistory history = history(Duration.ofSeconds(5), 1);
        get(history.after(ROOM, 0, 1));
        Files.writeString(file, "second");
        get(history.after(ROOM, 0, 1));
        nanos.addAndGet(Duration.ofSeconds(6).toNanos());
        get(history.after(ROOM, 0, 1));
        assertThat(shown).containsExactly("Bearer first", "Bearer first", "Bearer second");
    }

    @Test
    void noRequestIsSentWithoutTheToken(@TempDir Path directory) {
        token = new TokenFile(directory.resolve("none"), System::nanoTime);
        assertFails(history(Duration.ofSeconds(5), 1), HistoryFailure.TOKEN);
        assertThat(asked).isEmpty();
    }

    private static History.Page get(CompletableFuture<History.Page> page) throws Exception {
        return page.get(30, TimeUnit.SECONDS);
    }
}
