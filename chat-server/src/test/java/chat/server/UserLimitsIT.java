package chat.server;

import static org.assertj.core.api.Assertions.assertThat;

import chat.log.InMemoryRoomLog;
import chat.server.admission.ConnectionLimit;
import chat.server.admission.UserSockets;
import chat.server.session.SessionCounters;
import chat.testing.RawHttp;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** By default a server that asks for tokens bounds the sockets and rooms of one user; over real sockets. */
class UserLimitsIT {
    private static final int SOCKETS = 20;
    private static final int ROOMS = 128;

    @TempDir
    private Path directory;

    private InMemoryRoomLog log;
    private TestTokens tokens;

    @BeforeEach
    void start() throws Exception {
        log = new InMemoryRoomLog(1, 64 << 20, Clock.systemUTC());
        tokens = new TestTokens(directory);
    }

    @AfterEach
    void stop() {
        log.close();
    }

    private Guest guest(TestServer server, int user) {
        return Guest.connect(server, "room", user, "confab.v1", "bearer." + tokens.of(user, "*"));
    }

    private String handshake(TestServer server, int user) throws Exception {
        return RawSocket.handshake(server, "/chat/room", "Authorization: Bearer " + tokens.of(user, "*"));
    }

    @Test
    void userAboveItsSocketLimitIsRejectedWithTheLimitAndOthersConnect() throws Exception {
        try (TestServer server = TestServer.start(log, tokens.settings())) {
            List<Guest> all = new ArrayList<>();
            for (int i = 0; i < SOCKETS; i++) all.add(guest(server, 1));
            Awaitility.await().until(() -> server.bean(ConnectionLimit.class).current() == SOCKETS);
            assertThat(handshake(server, 1))
                    .startsWith("HTTP/1.1 429")
                    .containsIgnoringCase("\r\nRetry-After: 5\r\n")
                    .containsIgnoringCase("\r\nContent-Type: application/problem+json\r\n");
            assertThat(server.refused(UserSockets.REASON)).isEqualTo(1);
            assertThat(handshake(server, 2)).startsWith("HTTP/1.1 101");
            all.getFirst().close();
            Awaitility.await().until(() -> handshake(server, 1).startsWith("HTTP/1.1 101"));
            all.forEach(Guest::close);
            Awaitility.await().until(() -> server.bean(UserSockets.class).users() == 0);
        }
    }

    @Test
    void ofSocketsOpenedAtOnceThoseBeyondTheLimitGetTheSameAnswer() throws Exception {
        int attempts = 3 * SOCKETS;
        try (TestServer server = TestServer.start(log, tokens.settings("chat.server.handshakes.max=1000"))) {
            for (int user = 1; user <= 10; user++) {
                List<Integer> statuses = statusesOfUpgradesAtOnce(server, user, attempts);
                assertThat(statuses).filteredOn(status -> status == 101).hasSize(SOCKETS);
                assertThat(statuses).filteredOn(status -> status == 429).hasSize(attempts - SOCKETS);
                assertThat(server.refused(UserSockets.REASON)).isEqualTo((attempts - SOCKETS) * user);
                Awaitility.await().until(() -> server.bean(UserSockets.class).users() == 0);
            }
            assertThat(server.bean(SessionCounters.class).turnedAway.sum()).isZero();
        }
    }

    /** All are connected before one of them asks, and open until each has its answer. */
    private List<Integer> statusesOfUpgradesAtOnce(TestServer server, int user, int howMany) throws Exception {
        String token = "Authorization: Bearer " + tokens.of(user, "*");
        List<RawHttp> connections = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < howMany; i++) connections.add(new RawHttp(server.port()));
            CountDownLatch begin = new CountDownLatch(1);
            List<Future<Integer>> answers = new ArrayList<>();
            for (RawHttp connection : connections)
                answers.add(threads.submit(() -> {
                    begin.await();
                    return connection
                            .ask(
                                    "GET",
                                    "/chat/room",
                                    token,
                                    "Upgrade: websocket",
                                    "Connection: Upgrade",
                                    "Sec-WebSocket-Version: 13",
                                    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==")
                            .status();
                }));
            begin.countDown();
            List<Integer> statuses = new ArrayList<>();
            for (Future<Integer> answer : answers) statuses.add(answer.get());
            return statuses;
        } finally {
            for (RawHttp connection : connections) connection.close();
        }
    }

    @Test
    void userAboveItsRoomRateIsRejectedWithARetryDelay() {
        try (TestServer server = TestServer.start(log, tokens.settings());
                Guest greedy = guest(server, 1);
                Guest other = guest(server, 2)) {
            for (int round = 0; round < 3; round++) {
                int answered = (round + 1) * ROOMS;
                for (int i = 0; i < ROOMS; i++) greedy.join("made-" + round + "-" + i);
                greedy.await(
                        "answers",
                        () -> greedy.frames("WELCOME").size()
                                        + greedy.frames("ERROR").size()
                                >= answered);
                for (int i = 0; i < ROOMS; i++) greedy.say(leave(greedy, "made-" + round + "-" + i));
            }
            assertThat(greedy.frames("WELCOME")).hasSizeBetween(2 * ROOMS, 2 * ROOMS + 60);
            JsonNode error = greedy.frames("ERROR").getFirst();
            assertThat(error.get("code").asString()).isEqualTo("RATE_LIMITED");
            assertThat(error.get("retryAfterMs").asInt()).isBetween(1, 1_000);
            assertThat(error.get("errors").get(0).asString()).contains("rooms that are new to this server");
            other.join("made-0-0");
            other.await("WELCOME", () -> !other.frames("WELCOME").isEmpty());
        }
    }

    private static String leave(Guest guest, String room) {
        return "{\"messageType\":\"LEAVE\",\"roomId\":\"" + room + "\"," + guest.identity() + "}";
    }
}
