package chat.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import chat.log.InMemoryRoomLog;
import chat.protocol.CloseCode;
import chat.server.admission.ConnectionLimit;
import chat.server.intake.IntakeCounters;
import chat.server.room.BreakableLog;
import chat.server.session.OpenConnections;
import chat.server.session.SessionCounters;
import chat.server.session.Sessions;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.http.client.ReactorResourceFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** How sockets end: by their reader's slowness, by silence, by having nothing to do, by the server's stop. */
class SocketLifeIT {
    private InMemoryRoomLog log;

    @BeforeEach
    void openLog() {
        log = new InMemoryRoomLog(2, 64 << 20, Clock.systemUTC());
    }

    @AfterEach
    void closeLog() {
        log.close();
    }

    @Test
    void slowReaderIsClosedWithoutDelayingOthers() throws Exception {
        try (TestServer server = TestServer.start(log, "chat.server.socket.outbox=256KB");
                RawSocket slow = RawSocket.connect(server.port(), "/chat/room", 64 * 1024);
                Guest fast = Guest.connect(server, "room", 2);
                Guest loud = Guest.connect(server, "room", 3)) {
            slow.text(join("slow"));
            fast.joined();
            loud.joined();
            SessionCounters counters = server.bean(SessionCounters.class);
            String text = "x".repeat(500);
            int said = 0;
            while (counters.byCode(CloseCode.SLOW).sum() == 0) {
                for (int i = 0; i < 99; i++) loud.text(text);
                loud.awaitAck(loud.text(text));
                said += 100;
                int all = said; // of a slow machine it does not follow that a reader is slow
                fast.await("all texts", () -> fast.texts().size() == all);
            }
            assertThat(fast.isClosed()).isFalse();
            assertThat(loud.isClosed()).isFalse();
            assertThat(counters.byCode(CloseCode.SLOW).sum()).isEqualTo(1);

            // It received messages without a gap, then the close code: it can resume from its position.
            List<String> heard = new ArrayList<>();
            int bytes = 0;
            RawSocket.Frame frame = slow.read();
            for (; frame.opcode() != RawSocket.CLOSE; frame = slow.read()) {
                heard.addAll(ids(frame));
                bytes += frame.payload().length;
            }
            assertThat(frame.closeCode()).isEqualTo(4100);
            assertThat(heard).isNotEmpty().isEqualTo(ids(fast).subList(0, heard.size()));
            assertThat(bytes)
                    .as("what lay in the operating systems and in Netty")
                    .isLessThan(1_000_000);
        }
    }

    /** For whom too much waits; it takes not even the frame that says so. */
    @Test
    void stalledSlowReaderIsReset() throws Exception {
        try (TestServer server = TestServer.start(log, "chat.server.socket.outbox=256KB");
                RawSocket still = RawSocket.connect(server.port(), "/chat/room", 64 * 1024);
                Guest loud = Guest.connect(server, "room", 2)) {
            still.text(join("still"));
            loud.joined();
            SessionCounters counters = server.bean(SessionCounters.class);
            while (counters.byCode(CloseCode.SLOW).sum() == 0) {
                for (int i = 0; i < 99; i++) loud.text("x".repeat(500));
                loud.awaitAck(loud.text("x".repeat(500)));
            }
            OpenConnections connections = server.bean(OpenConnections.class);
            Awaitility.await().atMost(Duration.ofSeconds(10)).until(() -> connections.count() == 1);
            assertThat(server.bean(Sessions.class).count()).isEqualTo(1);
            assertThatExceptionOfType(SocketException.class).isThrownBy(still::closeCode);
        }
    }

    /** Otherwise the operating system would retry for minutes to send data that no client reads. */
    @Test
    void stalledReaderIsResetAndFreesItsMemory() throws Exception {
        try (TestServer server = TestServer.start(log, new TestConstants().writeDeadline(Duration.ofSeconds(1)));
                RawSocket still = RawSocket.connect(server.port(), "/chat/room", 64 * 1024);
                Guest loud = Guest.connect(server, "room", 2)) {
            still.text(join("still"));
            loud.joined();
            SessionCounters counters = server.bean(SessionCounters.class);
            while (counters.byCode(CloseCode.SLOW).sum() == 0) loud.awaitAck(loud.text("x".repeat(500)));
            OpenConnections connections = server.bean(OpenConnections.class);
            Awaitility.await().until(() -> connections.count() == 1);
            assertThatExceptionOfType(SocketException.class).isThrownBy(still::closeCode);
        }
    }

    /** Of the user 1. */
    private static String join(String username) {
        return "{\"messageType\":\"JOIN\",\"userId\":\"1\",\"username\":\"" + username
                + "\",\"timestamp\":\"2026-11-20T10:00:00Z\"}";
    }

    /** Of the texts in a frame. */
    private static List<String> ids(RawSocket.Frame frame) {
        List<String> ids = new ArrayList<>();
        if (frame.opcode() != RawSocket.TEXT) return ids;
        for (JsonNode message : JsonMapper.shared().readTree(frame.payload()).path("messages"))
            if (message.has("message")) ids.add(message.get("messageId").asString());
        return ids;
    }

    @Test
    void whenAllOutboxesTogetherTakeTooMuchTheFullestIsClosed() {
        try (TestServer server =
                        TestServer.start(log, "chat.server.socket.outbox=1MB", "chat.server.socket.outbox-total=1MB");
                Guest first = Guest.connect(server, "one", 1);
                Guest second = Guest.connect(server, "two", 2);
                Guest loud = Guest.connect(server, "one", 3)) {
            first.joined();
            second.joined();
            loud.joined();
            loud.join("two");
            loud.await("second WELCOME", () -> loud.frames("WELCOME").size() == 2);
            first.stopReading();
            second.stopReading();
            SessionCounters counters = server.bean(SessionCounters.class);
            String text = "x".repeat(500);
            while (counters.byCode(CloseCode.SLOW).sum() == 0) {
                for (int i = 0; i < 100; i++) {
                    loud.text(text);
                    loud.say("{\"messageType\":\"TEXT\",\"roomId\":\"two\",\"message\":\"" + text + "\","
                            + loud.identity() + "}");
                }
                UUID last = loud.text(text);
                loud.await(
                        "ACK or close",
                        () -> loud.isAcknowledged(last)
                                || counters.byCode(CloseCode.SLOW).sum() > 0);
            }
            first.readAgain();
            second.readAgain();
            // Neither alone had more than it may.
            assertThat(server.bean(Sessions.class).outboxBytes()).isLessThan(1 << 20);
            loud.awaitAck(loud.text("still here"));
            Awaitility.await().until(() -> first.isClosed() || second.isClosed());
            assertThat((first.isClosed() ? first : second).closeCode()).isEqualTo(4100);
        }
    }

    private static List<String> ids(Guest guest) {
        return guest.heard().stream()
                .filter(heard -> heard.text() != null)
                .map(Guest.Heard::id)
                .toList();
    }

    private static void readAll(RawSocket socket) {
        try {
            while (socket.read().opcode() != RawSocket.CLOSE) Thread.onSpinWait();
        } catch (IOException ended) {
            // The test is over.
        }
    }

    @Test
    void senderIsPausedWhileTheLogIsStalledAndLosesNothing() throws Exception {
        BreakableLog stuck = new BreakableLog(log);
        int frames = 60;
        try (TestServer server = TestServer.start(
                        stuck, new TestConstants().maxEntryBytes(16_384), "chat.server.socket.kernel-receive=64KB");
                Guest witness = Guest.connect(server, "room", 2);
                RawSocket loud = RawSocket.connect(server.port(), "/chat/room", 0)) {
            witness.joined();
            loud.text(join("loud"));
            witness.await("both", () -> witness.heard().size() == 2);
            String text = "{\"messageType\":\"TEXT\",\"userId\":\"1\",\"username\":\"loud\","
                    + "\"timestamp\":\"2026-11-20T10:00:00Z\",\"message\":\"" + "x".repeat(500) + "\"}";
            String frame = "[" + text + ("," + text).repeat(99) + "]";
            stuck.hold();
            AtomicInteger written = new AtomicInteger();
            Thread talking = Thread.startVirtualThread(() -> {
                for (int i = 0; i < frames; i++) {
                    loud.say(frame);
                    written.incrementAndGet();
                }
            });
            IntakeCounters intake = server.bean(IntakeCounters.class);
            AtomicInteger before = new AtomicInteger(-1);
            Awaitility.await()
                    .pollInterval(Duration.ofSeconds(1))
                    .atMost(Duration.ofMinutes(2))
                    .until(() -> intake.paused.sum() > 0 && before.getAndSet(written.get()) == written.get());
            // In the sockets' own buffers, one frame at work, one being read; Reactor Netty alone would queue 32.
            assertThat(written.get()).isLessThan(20);

            stuck.mend();
            // A client that does not read its own messages is a slow reader, too.
            Thread.startVirtualThread(() -> readAll(loud));
            talking.join();
            witness.await("all", () -> witness.texts().size() == frames * 100);
        }
    }

    @Test
    void silentSocketIsClosedAndAnActiveOneIsNot() throws Exception {
        try (TestServer server = TestServer.start(
                        log,
                        new TestConstants().pingGrace(Duration.ofMillis(300)),
                        "chat.server.socket.ping-interval=300ms",
                        "server.netty.idle-timeout=500ms");
                Guest lively = Guest.connect(server, "room", 1);
                RawSocket silent = RawSocket.connect(server, "/chat/room")) {
            lively.joined();
            assertThat(silent.read().opcode()).isEqualTo(RawSocket.PING);
            assertThat(silent.closeCode()).isEqualTo(4101);
            // A second one, so that the first guest has been there for several intervals and idle timeouts.
            try (RawSocket another = RawSocket.connect(server, "/chat/room")) {
                assertThat(another.closeCode()).isEqualTo(4101);
            }
            lively.awaitAck(lively.text("alive"));
        }
    }

    @Test
    void clientThatPingsIsAliveWithoutPongs() throws Exception {
        try (TestServer server = TestServer.start(
                        log,
                        new TestConstants().pingGrace(Duration.ofMillis(300)),
                        "chat.server.socket.ping-interval=300ms");
                RawSocket pinging = RawSocket.connect(server, "/chat/room");
                RawSocket silent = RawSocket.connect(server, "/chat/room")) {
            int pongs = 0;
            for (int pings = 0; pings < 6; ) { // in answer to the server's, one for each interval
                int opcode = pinging.read().opcode();
                if (opcode == RawSocket.PONG) pongs++;
                if (opcode != RawSocket.PING) continue;
                pinging.send(true, RawSocket.PING, new byte[0]);
                pings++;
            }
            assertThat(pongs).isGreaterThanOrEqualTo(4);
            assertThat(silent.closeCode()).isEqualTo(4101);
        }
    }

    /** A byte of its frame for each ping: on a bad line a large one takes longer than the server is patient. */
    @Test
    void clientThatSendsAFrameSlowlyIsAlive() throws Exception {
        try (TestServer server = TestServer.start(
                        log,
                        new TestConstants().pingGrace(Duration.ofMillis(300)),
                        "chat.server.socket.ping-interval=300ms");
                RawSocket slow = RawSocket.connect(server, "/chat/room")) {
            byte[] frame = RawSocket.frame(true, 0, RawSocket.TEXT, true, new byte[1000]);
            for (int i = 0; i < 6; i++) {
                assertThat(slow.read().opcode()).isEqualTo(RawSocket.PING);
                slow.sendBytes(frame[i]);
            }
        }
    }

    /** Pauses the whole process, as a virtual machine may: it receives nothing. */
    @Test
    void pausedServerDoesNotTimeOutItsClients() throws Exception {
        try (TestServer server = TestServer.start(
                        log,
                        new TestConstants().pingGrace(Duration.ofSeconds(1)),
                        "chat.server.socket.ping-interval=500ms");
                Guest lively = Guest.connect(server, "room", 1)) {
            lively.joined();
            for (Future<?> pause : pauses(server, Duration.ofSeconds(3))) pause.get(1, TimeUnit.MINUTES);
            assertOnlyWhoIsSilentIsClosed(server);
            lively.awaitAck(lively.text("alive"));
        }
    }

    /** No ping reaches it before it has taken what was written before. */
    @Test
    void slowlyReadingClientIsNotTimedOut() throws Exception {
        try (TestServer server = TestServer.start(
                        log,
                        new TestConstants().pingGrace(Duration.ofSeconds(1)),
                        "chat.server.socket.ping-interval=500ms",
                        "chat.server.socket.outbox=4MB");
                RawSocket behind = RawSocket.connect(server.port(), "/chat/room", 64 * 1024);
                Guest loud = Guest.connect(server, "room", 2)) {
            behind.text(join("behind"));
            loud.joined();
            Sessions sessions = server.bean(Sessions.class);
            while (sessions.outboxBytes() < 100_000) loud.awaitAck(loud.text("x".repeat(500)));
            assertOnlyWhoIsSilentIsClosed(server);

            String last = loud.text("the end").toString();
            for (boolean ended = false; !ended; ) {
                RawSocket.Frame frame = behind.read();
                if (frame.opcode() == RawSocket.PING) behind.send(true, RawSocket.PONG, new byte[0]);
                ended = ids(frame).contains(last);
            }
        }
    }

    /** Any other reason would have closed the socket before. */
    private static void assertOnlyWhoIsSilentIsClosed(TestServer server) throws IOException {
        try (RawSocket silent = RawSocket.connect(server, "/chat/room")) {
            assertThat(silent.closeCode()).isEqualTo(4101);
        }
        assertThat(server.bean(SessionCounters.class).byCode(CloseCode.SILENT).sum())
                .isEqualTo(1);
    }

    /** Of all event loops, at once. */
    private static List<Future<?>> pauses(TestServer server, Duration length) {
        List<Future<?>> pauses = new ArrayList<>();
        for (EventExecutor loop :
                server.bean(ReactorResourceFactory.class).getLoopResources().onServer(true))
            pauses.add(loop.submit(() -> {
                long until = System.nanoTime() + length.toNanos();
                long now;
                do now = System.nanoTime(); // to spin by name counts as blocking
                while (now < until);
            }));
        return pauses;
    }

    @Test
    void socketWithoutARoomTimesOut() {
        try (TestServer server = TestServer.start(
                        log,
                        new TestConstants().withoutRoom(Duration.ofSeconds(5)),
                        "chat.server.socket.ping-interval=300ms");
                Guest member = Guest.connect(server, "room", 1);
                Guest idler = Guest.connect(server, "room", 2);
                Guest leaver = Guest.connect(server, "room", 3)) {
            member.joined();
            leaver.joined();
            leaver.leave();
            assertThat(idler.closeCode()).isEqualTo(4000);
            assertThat(leaver.closeCode()).isEqualTo(4000);
            member.awaitAck(member.text("still here"));
        }
    }

    @Test
    void fullServerRejectsUntilASocketCloses() {
        try (TestServer server = TestServer.start(log, "chat.server.max-connections=2")) {
            Guest first = Guest.connect(server, "room", 1).joined();
            try (Guest second = Guest.connect(server, "room", 2).joined()) {
                assertThatExceptionOfType(Guest.NotLetIn.class)
                        .isThrownBy(() -> Guest.connect(server, "room", 3))
                        .satisfies(refused ->
                                assertThat(refused.retryAfterSeconds()).isBetween(5, 10));
                first.close();
                ConnectionLimit limit = server.bean(ConnectionLimit.class);
                Awaitility.await().until(() -> limit.current() == 1);
                try (Guest fourth = Guest.connect(server, "room", 4)) {
                    fourth.joined();
                    fourth.text("hi");
                    second.awaitText("hi");
                }
            }
        }
    }

    @Test
    void stoppingServerClosesItsSocketsAndPublishesTheirLeaves() {
        try (TestServer there = TestServer.start(log);
                Guest bert = Guest.connect(there, "room", 99)) {
            bert.joined();
            TestServer here = TestServer.start(log);
            List<Guest> guests = new ArrayList<>();
            for (int i = 1; i <= 20; i++)
                guests.add(Guest.connect(here, "room", i).joined());
            for (Guest guest : guests) for (int i = 0; i < 10; i++) guest.text("t" + i);
            Sessions sessions = here.bean(Sessions.class);
            ConnectionLimit limit = here.bean(ConnectionLimit.class);
            Drain drain = here.bean(Drain.class);
            long before = System.nanoTime();

            here.close();

            assertThat(drain.getExitCode()).isZero();
            assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(10));
            for (Guest guest : guests) assertThat(guest.closeCode()).isEqualTo(4200);
            assertThat(sessions.count()).isZero();
            assertThat(limit.current()).isZero();
            // All was in the log before the server was gone: what was acknowledged and each guest's LEAVE, last.
            bert.await("20 LEAVEs", () -> leaves(bert) == 20);
            for (Guest guest : guests)
                for (String acknowledged : guest.acks().keySet())
                    assertThat(bert.heard()).anyMatch(heard -> heard.id().equals(acknowledged));
            bert.awaitAck(bert.text("alone"));
        }
    }

    @Test
    void incompleteDrainHasAnExitCode() {
        BreakableLog slow = new BreakableLog(log);
        TestServer server = TestServer.start(slow, "chat.server.drain.timeout=1s");
        Drain drain = server.bean(Drain.class);
        try (Guest guest = Guest.connect(server, "room", 1).joined()) {
            slow.hold();
            guest.text("on its way");
            Awaitility.await().until(() -> slow.held() == 1);

            server.close();

            assertThat(drain.getExitCode()).isEqualTo(1);
        }
    }

    @Test
    void reconnectingClientDoesNotReachTheStoppingServer() throws Exception {
        TestServer server = TestServer.start(log, "chat.server.drain.timeout=30s");
        int port = server.port();
        Thread stopping = Thread.ofVirtual().unstarted(server::close);
        try (RawSocket member = RawSocket.connect(port, "/chat/room", 0)) {
            stopping.start();
            assertThat(member.read().closeCode()).isEqualTo(4200);
            // The member does not answer, so the server is still there.
            assertThatExceptionOfType(ConnectException.class).isThrownBy(() -> RawSocket.plain(port));
            assertThat(stopping.isAlive()).isTrue();
        }
        stopping.join();
    }

    @Test
    void stoppingServerDoesNotWaitForNewClients() throws Exception {
        TestServer server = TestServer.start(log, "chat.server.drain.timeout=30s");
        Drain drain = server.bean(Drain.class);
        int port = server.port();
        // Neither answers a close: each is cut off after 4.5 s.
        try (RawSocket member = RawSocket.connect(port, "/chat/room", 0);
                RawSocket newcomer = RawSocket.plain(port)) {
            OpenConnections connections = server.bean(OpenConnections.class);
            Awaitility.await().until(() -> connections.count() == 2);
            Thread stopping = Thread.startVirtualThread(server::close);
            assertThat(member.read().opcode()).isEqualTo(RawSocket.CLOSE);
            newcomer.upgraded("/chat/room");
            assertThat(newcomer.read().closeCode()).isEqualTo(4200);
            stopping.join();
        }
        assertThat(drain.getExitCode()).isZero();
    }

    @Test
    void stopIsInHealthBeforeAnySocketCloses() throws Exception {
        Duration announce = Duration.ofSeconds(5);
        TestServer server = TestServer.start(log, "chat.server.drain.announce=" + announce.toMillis() + "ms");
        try (Guest guest = Guest.connect(server, "room", 1);
                HttpClient http = HttpClient.newHttpClient()) {
            guest.joined();
            HttpRequest health = HttpRequest.newBuilder(server.page("/health")).build();
            long begin = System.nanoTime();
            Thread stopping = Thread.startVirtualThread(server::close);
            HttpResponse<String> answer;
            do answer = http.send(health, HttpResponse.BodyHandlers.ofString());
            while (answer.statusCode() == 200);
            assertThat(answer.statusCode()).isEqualTo(503);
            assertThat(answer.body()).contains("STOPPING");
            try (Guest late = Guest.connect(server, "room", 2)) {
                late.joined(); // a balancer that has not noticed yet does no harm
                guest.awaitAck(guest.text("still served"));
                assertThat(guest.closeCode()).isEqualTo(4200);
                assertThat(late.closeCode()).isEqualTo(4200);
            }
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThanOrEqualTo(announce);
            stopping.join();
        }
    }

    private static long leaves(Guest guest) {
        return guest.heard().stream()
                .filter(heard -> heard.type().equals("LEAVE"))
                .count();
    }
}
