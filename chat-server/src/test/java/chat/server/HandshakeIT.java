package chat.server;

import static org.assertj.core.api.Assertions.assertThat;

import chat.log.InMemoryRoomLog;
import chat.server.admission.HandshakeLimit;
import chat.server.admission.HandshakeSettings;
import chat.server.session.Sessions;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Concurrent handshakes are limited; the others receive Retry-After before they cost anything. */
class HandshakeIT {
    private InMemoryRoomLog log;

    @BeforeEach
    void openLog() {
        log = new InMemoryRoomLog(1, 64 << 20, Clock.systemUTC());
    }

    @AfterEach
    void closeLog() {
        log.close();
    }

    private TestServer server(Duration patience) {
        return TestServer.start(
                log,
                new TestConstants()
                        .change(HandshakeLimit.class, unused -> new HandshakeLimit(new HandshakeSettings(2, patience))),
                "chat.server.socket.ping-interval=100ms");
    }

    private static RawSocket connect(TestServer server) throws IOException {
        return RawSocket.connect(server, "/chat/room");
    }

    private static void awaitUnderWay(TestServer server, int count) {
        HandshakeLimit limit = server.bean(HandshakeLimit.class);
        Awaitility.await().until(() -> limit.current() == count);
    }

    @Test
    void handshakeAboveTheLimitReceivesRetryAfterAndNoSession() throws Exception {
        try (TestServer server = server(Duration.ofMinutes(1));
                RawSocket first = connect(server);
                RawSocket second = connect(server)) {
            assertThat(RawSocket.handshake(server, "/chat/room"))
                    .startsWith("HTTP/1.1 503")
                    .containsIgnoringCase("\r\nRetry-After: 1\r\n")
                    .containsIgnoringCase("\r\nConnection: close\r\n");
            assertThat(server.bean(HandshakeLimit.class).rejected.sum()).isEqualTo(1);
            // A ping is no answer, but it says that there is a session: a server begins one after its 101.
            assertThat(first.read().opcode()).isEqualTo(RawSocket.PING);
            assertThat(second.read().opcode()).isEqualTo(RawSocket.PING);
            assertThat(RawSocket.handshake(server, "/chat/room")).startsWith("HTTP/1.1 503");
            assertThat(server.bean(Sessions.class).count()).isEqualTo(2);
        }
    }

    @Test
    void handshakeSlotIsFreeAfterTheJoinAndAfterAClose() throws Exception {
        try (TestServer server = server(Duration.ofMinutes(1));
                RawSocket member = connect(server);
                RawSocket cut = connect(server)) {
            awaitUnderWay(server, 2);
            member.text("{\"messageType\":\"JOIN\",\"userId\":\"1\",\"username\":\"anna\","
                    + "\"timestamp\":\"2026-11-20T10:00:00Z\"}");
            awaitUnderWay(server, 1);
            cut.reset();
            awaitUnderWay(server, 0);
            // However often: each gives back one place, once.
            for (int i = 0; i < 10; i++)
                try (Guest guest = Guest.connect(server, "room", 10 + i)) {
                    guest.joined();
                }
            Awaitility.await().until(() -> server.bean(Sessions.class).count() == 1);
            assertThat(server.bean(HandshakeLimit.class).current()).isZero();
            assertThat(server.bean(HandshakeLimit.class).rejected.sum()).isZero();
        }
    }

    @Test
    void silentHandshakeTimesOut() throws Exception {
        try (TestServer server = server(Duration.ofMillis(200));
                RawSocket silent = connect(server);
                RawSocket another = connect(server)) {
            awaitUnderWay(server, 0);
            try (Guest guest = Guest.connect(server, "room", 1)) {
                guest.joined();
            }
            silent.text("late, but heard");
            another.text("this one, too");
            for (RawSocket late : new RawSocket[] {silent, another}) {
                RawSocket.Frame frame = late.read();
                while (frame.opcode() == RawSocket.PING) frame = late.read();
                assertThat(frame.opcode()).isEqualTo(RawSocket.TEXT);
            }
            assertThat(server.bean(HandshakeLimit.class).current()).isZero();
        }
    }
}
