package chat.server;

import static org.assertj.core.api.Assertions.assertThat;

import chat.log.InMemoryRoomLog;
import chat.protocol.CloseCode;
import chat.server.session.SessionCounters;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Members on distant, narrow lines that lose packets: they are served late as long as they keep up within the bounds, and
 * do not affect others.
 */
class BadLineIT {
    private static final BadLine.Quality MOBILE =
            new BadLine.Quality(Duration.ofMillis(200), 10_000, 0.03, Duration.ofMillis(600));
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private InMemoryRoomLog log;

    @BeforeEach
    void openLog() {
        log = new InMemoryRoomLog(2, 64 << 20, Clock.systemUTC());
    }

    @AfterEach
    void closeLog() {
        log.close();
    }

    /** As with the defaults, a slow line carries less between two pings than an outbox may hold. */
    private static TestServer server(InMemoryRoomLog log) {
        return TestServer.start(
                log,
                new TestConstants()
                        .pingGrace(Duration.ofSeconds(5))
                        .change(SocketBuffers.class, now -> now.withWriteBuffer(4096)),
                "chat.server.socket.ping-interval=1s",
                "chat.server.socket.outbox=256KB",
                "chat.server.socket.kernel-send=8KB");
    }

    /** All at the same time, each its next text when the last one is accepted. */
    private static void talk(List<Guest> talkers, int texts, String text) throws InterruptedException {
        List<Thread> talking = new ArrayList<>();
        for (Guest talker : talkers)
            talking.add(Thread.startVirtualThread(() -> {
                for (int i = 0; i < texts; i++) talker.awaitAck(talker.text(talker.userId() + "-" + i + text));
            }));
        for (Thread one : talking) one.join();
    }

    private static List<Guest> joined(int port, int from, int to) {
        List<Guest> guests = new ArrayList<>();
        for (int user = from; user <= to; user++)
            guests.add(Guest.connect(port, "room", user).joined());
        return guests;
    }

    private static List<String> textIds(Guest... sockets) {
        return Stream.of(sockets)
                .flatMap(socket -> socket.heard().stream())
                .filter(heard -> heard.text() != null)
                .map(Guest.Heard::id)
                .toList();
    }

    private static void assertHealthy(List<Guest> healthy, int texts) {
        Guest first = healthy.getFirst();
        for (Guest guest : healthy) {
            guest.await("all texts", () -> guest.texts().size() >= texts);
            assertThat(guest.isClosed()).isFalse();
            assertThat(textIds(guest)).hasSize(texts).doesNotHaveDuplicates().isEqualTo(textIds(first));
        }
    }

    @Test
    void clientOnASlowLineReceivesEverythingOnceInOrderAndStaysConnected() throws Exception {
        try (TestServer server = server(log);
                BadLine line = new BadLine(server.port(), MOBILE, 4711)) {
            List<Guest> healthy = joined(server.port(), 1, 5);
            List<Guest> far = joined(line.port(), 11, 14);
            List<UUID> said = new ArrayList<>();
            for (Guest guest : far) said.add(guest.text("from afar"));
            int texts = 5 * 80 + far.size();

            long begin = System.nanoTime();
            talk(healthy, 80, "x".repeat(50));

            assertHealthy(healthy, texts);
            assertThat(far)
                    .as("the line is as narrow as it says")
                    .allMatch(guest -> guest.texts().size() < texts);
            SessionCounters counters = server.bean(SessionCounters.class);
            for (int i = 0; i < far.size(); i++) {
                Guest guest = far.get(i);
                guest.await("all texts", PATIENCE, () -> guest.texts().size() >= texts);
                assertThat(textIds(guest)).doesNotHaveDuplicates().isEqualTo(textIds(healthy.getFirst()));
                assertThat(guest.isAcknowledged(said.get(i))).isTrue();
            }
            // Longer than anybody may be silent: the pongs came, however late.
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThan(Duration.ofSeconds(6));
            for (CloseCode code : CloseCode.values())
                assertThat(counters.byCode(code).sum()).as(code.name()).isZero();
            for (Guest guest : far) guest.awaitAck(guest.text("still here"));
            for (Guest guest : far) guest.abort();
            for (Guest guest : healthy) guest.close();
        }
    }

    @Test
    void slowClientIsClosedWithSlowAndResumesWithoutLoss() throws Exception {
        try (TestServer server = server(log);
                BadLine line = new BadLine(server.port(), MOBILE, 815)) {
            List<Guest> healthy = joined(server.port(), 1, 5);
            Guest slow = Guest.connect(line.port(), "room", 11).joined();
            SessionCounters counters = server.bean(SessionCounters.class);
            int texts = 0;
            while (counters.byCode(CloseCode.SLOW).sum() == 0) {
                talk(healthy, 50, "x".repeat(450));
                texts += 250;
            }
            assertHealthy(healthy, texts);
            slow.await("the end", PATIENCE, slow::isClosed);
            assertThat(slow.closeCode()).isEqualTo(4100);
            assertThat(counters.byCode(CloseCode.SLOW).sum()).isEqualTo(1);
            assertThat(slow.texts()).hasSizeBetween(1, texts - 1);

            try (Guest again = Guest.connect(server.port(), "room", 11).resume(slow.position())) {
                int all = texts;
                again.await(
                        "the rest", () -> slow.texts().size() + again.texts().size() >= all);
                assertThat(textIds(slow, again)).doesNotHaveDuplicates().isEqualTo(textIds(healthy.getFirst()));
                assertThat(again.frames("GAP")).isEmpty();
            }
            for (Guest guest : healthy) guest.close();
        }
    }
}
