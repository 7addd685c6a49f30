package chat.server;

import static org.assertj.core.api.Assertions.assertThat;

import chat.log.InMemoryRoomLog;
import chat.server.admission.ConnectionLimit;
import chat.server.admission.HandshakeLimit;
import chat.server.admission.OverloadGuard;
import chat.server.session.SessionCounters;
import chat.server.session.Sessions;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.lang.ref.Reference;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Clock;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Rejected upgrades receive a status on every path and leave no state behind. */
class AdmissionIT {
    private InMemoryRoomLog log;

    @BeforeEach
    void openLog() {
        log = new InMemoryRoomLog(1, 64 << 20, Clock.systemUTC());
    }

    @AfterEach
    void closeLog() {
        log.close();
    }

    @Test
    void fullServerRejectsUpgradeWith503AndKeepsNothing() throws Exception {
        try (TestServer server = TestServer.start(log, "chat.server.max-connections=1");
                Guest inside = Guest.connect(server, "room", 1)) {
            inside.joined();
            for (String path : new String[] {"/chat/room", "/%63hat/room", "//chat/room", "/chat/", "/nothing"}) {
                assertThat(RawSocket.handshake(server, path))
                        .startsWith("HTTP/1.1 503")
                        .containsPattern("(?i)\r\nRetry-After: ([5-9]|10)\r\n")
                        .containsIgnoringCase("\r\nConnection: close\r\n")
                        .containsIgnoringCase("\r\nContent-Type: application/problem+json\r\n");
            }
            assertThat(server.refused(ConnectionLimit.FULL)).isEqualTo(5);
            assertThat(server.bean(Sessions.class).count()).isEqualTo(1);
            assertThat(server.bean(SessionCounters.class).turnedAway.sum()).isZero();
            assertThat(server.bean(HandshakeLimit.class).current()).isZero();
            inside.awaitAck(inside.text("still served"));
            // This client asks for an upgrade, too: to HTTP/2.
            assertThat(get(server.page("/health")).statusCode()).isEqualTo(200);
            assertThat(RawSocket.handshake(server, "/chat/room", "Upgrade: WebSocket, h2c"))
                    .startsWith("HTTP/1.1 503");
        }
    }

    /** Timed by the server, from the arrival of the request to the end of the response. */
    @Test
    void rejectionIsAnsweredWithin50ms() throws Exception {
        int rejections = 300;
        try (TestServer server = TestServer.start(
                log,
                "chat.server.max-connections=1",
                "chat.server.rate.address.per-second=0.001",
                "chat.server.rate.address.burst=1",
                "management.observations.enable.http.server.requests=true")) {
            try (Guest inside = Guest.connect(server, "room", 1)) {
                inside.joined();
                for (int i = 0; i < rejections; i++)
                    assertThat(RawSocket.handshake(server, "/chat/room")).startsWith("HTTP/1.1 503");
            }
            Awaitility.await().until(() -> server.bean(ConnectionLimit.class).current() == 0);
            for (int i = 0; i < rejections; i++)
                assertThat(RawSocket.handshake(server, "/chat/room")).startsWith("HTTP/1.1 429");
            for (String status : new String[] {"503", "429"}) {
                Timer answers = server.bean(MeterRegistry.class)
                        .get("http.server.requests")
                        .tag("status", status)
                        .timer();
                Awaitility.await().until(() -> answers.count() == rejections);
                assertThat(answers.mean(TimeUnit.MILLISECONDS)).as(status).isLessThan(50);
            }
        }
    }

    @Test
    void overloadedServerServesMembersAndRejectsNewSockets() throws Exception {
        System.gc();
        Runtime jvm = Runtime.getRuntime();
        double used = (double) (jvm.totalMemory() - jvm.freeMemory()) / jvm.maxMemory();
        try (TestServer server = TestServer.start(log, "chat.server.guard.heap.high=" + (used + 0.1));
                Guest inside = Guest.connect(server, "room", 1)) {
            inside.joined();
            byte[] ballast = new byte[(int) Math.min(Integer.MAX_VALUE - 8, jvm.maxMemory() / 8)];
            try {
                System.gc();
                Awaitility.await().until(server.bean(OverloadGuard.class)::isRejecting);
                assertThat(RawSocket.handshake(server, "/chat/room")).startsWith("HTTP/1.1 503");
                assertThat(server.refused("heap")).isEqualTo(1);
                inside.awaitAck(inside.text("still served"));
                // The balancer by rooms keeps it, whose rooms would come to a server that has to read for them;
                // readiness
                // tells.
                HttpResponse<String> health = get(server.page("/health"));
                assertThat(health.statusCode()).isEqualTo(200);
                assertThat(health.body()).contains("\"healthy\":false,\"shortOf\":[\"heap\"]");
                assertThat(management(server, "readiness").statusCode()).isEqualTo(503);
                assertThat(management(server, "liveness").statusCode()).isEqualTo(200);
            } finally {
                Reference.reachabilityFence(ballast);
            }
        }
    }

    @Test
    void serverBelowItsLimitIsReady() throws Exception {
        try (TestServer server = TestServer.start(log)) {
            assertThat(management(server, "readiness").statusCode()).isEqualTo(200);
        }
    }

    private static HttpResponse<String> management(TestServer server, String probe) throws Exception {
        return get(URI.create("http://127.0.0.1:" + server.managementPort() + "/actuator/health/" + probe));
    }

    private static HttpResponse<String> get(URI uri) throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
        }
    }

    @Test
    void overloadIsCheckedBeforeTheOrigin() throws Exception {
        try (TestServer server = TestServer.start(log, "chat.server.max-connections=1")) {
            assertThat(RawSocket.handshake(server, "/chat/room", "Origin: https://elsewhere.example"))
                    .startsWith("HTTP/1.1 403")
                    .doesNotContainIgnoringCase("\r\nRetry-After:");
            try (Guest inside = Guest.connect(server, "room", 1)) {
                inside.joined();
                assertThat(RawSocket.handshake(server, "/chat/room", "Origin: https://elsewhere.example"))
                        .startsWith("HTTP/1.1 503");
            }
            assertThat(server.refused("origin")).isEqualTo(1);
        }
    }
}
