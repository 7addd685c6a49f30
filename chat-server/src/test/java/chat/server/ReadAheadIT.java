package chat.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import chat.log.InMemoryRoomLog;
import chat.log.RoomLog;
import chat.nodes.Ports;
import chat.server.room.BreakableLog;
import chat.server.room.Rooms;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A server is ready when it has read the recent messages. */
class ReadAheadIT {
    private static final int PARTITIONS = 2;

    private final InMemoryRoomLog memory = new InMemoryRoomLog(PARTITIONS, 16 << 20, Clock.systemUTC());
    private final BreakableLog log = new BreakableLog(memory);
    private final HttpClient http = HttpClient.newHttpClient();

    @AfterEach
    void close() {
        http.close();
        memory.close();
    }

    @Test
    void serverIsNotReadyBeforeItHasReadAhead() {
        int port = Ports.free();
        int management = Ports.free();
        log.hold();
        // It blocks, and the HTTP client needs the common pool.
        CompletableFuture<TestServer> starting = CompletableFuture.supplyAsync(
                () -> TestServer.start(log, "server.port=" + port, "management.server.port=" + management),
                start -> Thread.ofPlatform().name("start").start(start));
        URI health = URI.create("http://127.0.0.1:" + port + "/health");
        URI readiness = URI.create("http://127.0.0.1:" + management + "/actuator/health/readiness");
        URI liveness = URI.create("http://127.0.0.1:" + management + "/actuator/health/liveness");
        Awaitility.await().ignoreExceptions().until(() -> get(health).statusCode() == 503);
        assertThat(get(health).body()).contains("\"status\":\"STARTING\"");
        Awaitility.await().until(() -> log.openTails() == PARTITIONS);
        assertThat(get(readiness).statusCode()).isEqualTo(503);
        assertThat(get(liveness).statusCode()).isEqualTo(200);
        assertThat(starting).isNotDone();

        log.mend();
        try (TestServer server = starting.join()) {
            assertThat(get(health).body()).contains("\"status\":\"UP\"");
            assertThat(get(readiness).statusCode()).isEqualTo(200);
            assertThat(server.bean(Rooms.class).partitionsRead()).isEqualTo(PARTITIONS);
            int tails = log.tails();
            try (Guest guest = Guest.connect(server, "room", 1)) {
                guest.joined();
            }
            assertThat(log.tails()).isEqualTo(tails);
        }
    }

    @Test
    void itWaitsSoLongAndNoLonger() {
        log.hold();
        long begun = System.nanoTime();
        try (TestServer server = assertTimeoutPreemptively(
                Duration.ofSeconds(25), () -> TestServer.start(log, "chat.server.read-ahead=1500ms"))) {
            assertThat(System.nanoTime() - begun)
                    .isGreaterThan(Duration.ofMillis(1500).toNanos());
            assertThat(get(server.page("/health")).body()).contains("\"status\":\"UP\"");
            log.mend();
            try (Guest guest = Guest.connect(server, "room", 1)) {
                guest.joined();
            }
        }
    }

    @Test
    void nothingIsReadWhereThatIsNotWanted() {
        try (TestServer server = TestServer.start(log, "chat.server.read-ahead=0")) {
            assertThat(get(server.page("/health")).body()).contains("\"status\":\"UP\"");
            assertThat(server.bean(Rooms.class).partitionsRead()).isZero();
        }
    }

    /** Another server would be no better off. */
    @Test
    void itDoesNotWaitForALogThatIsNotThere() {
        try (TestServer server = assertTimeoutPreemptively(
                Duration.ofSeconds(25),
                () -> TestServer.startOnRabbit("amqp://127.0.0.1:" + Ports.free(), "chat.server.read-ahead=10m"))) {
            assertThat(get(server.page("/health")).body()).contains("\"status\":\"DEGRADED\"", "\"log\":\"DOWN\"");
        }
    }

    @Test
    void itDoesNotWaitForALogThatTakesNothing() {
        log.hold();
        log.become(RoomLog.State.BLOCKED);
        try (TestServer server = assertTimeoutPreemptively(
                Duration.ofSeconds(25), () -> TestServer.start(log, "chat.server.read-ahead=10m"))) {
            assertThat(get(server.page("/health")).body()).contains("\"status\":\"DEGRADED\"", "\"log\":\"BLOCKED\"");
        }
    }

    private HttpResponse<String> get(URI uri) {
        return http.sendAsync(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
                .join();
    }
}
