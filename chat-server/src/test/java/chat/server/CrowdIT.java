package chat.server;

import static org.assertj.core.api.Assertions.assertThat;

import chat.log.InMemoryRoomLog;
import chat.protocol.CloseCode;
import chat.server.admission.ConnectionLimit;
import chat.server.room.RoomCounters;
import chat.server.room.Rooms;
import chat.server.session.OpenConnections;
import chat.server.session.SessionAudit;
import chat.server.session.SessionCounters;
import chat.server.session.Sessions;
import chat.testing.LogWatch;
import io.netty.util.internal.PlatformDependent;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.LongAdder;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.OS;

/** Many sockets at once, and what is left of them when they have gone, however they went: nothing. */
class CrowdIT {
    private InMemoryRoomLog log;

    @BeforeEach
    void openLog() {
        log = new InMemoryRoomLog(2, 64 << 20, Clock.systemUTC());
    }

    @AfterEach
    void closeLog() {
        log.close();
    }

    private static String join(int user) {
        return "{\"messageType\":\"JOIN\",\"userId\":\"" + user + "\",\"username\":\"raw" + user
                + "\",\"timestamp\":\"2026-11-20T10:00:00Z\"}";
    }

    /** Sockets that the operating system knows of at the server's port, without those of its own HTTP clients. */
    private static int established(TestServer server) throws IOException, InterruptedException {
        Process ss = new ProcessBuilder("ss", "-Htn", "state", "established", "( sport = :" + server.port() + " )")
                .redirectErrorStream(true)
                .start();
        String lines = new String(ss.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(ss.waitFor()).as(lines).isZero();
        return (int) lines.lines().filter(line -> !line.isBlank()).count();
    }

    /** The index, the limit, the rooms and the operating system say the same. */
    private static void awaitCount(TestServer server, int count) {
        Awaitility.await().atMost(Duration.ofMinutes(2)).untilAsserted(() -> {
            assertThat(server.bean(Sessions.class).count()).isEqualTo(count);
            assertThat(server.bean(ConnectionLimit.class).current()).isEqualTo(count);
            assertThat(server.bean(RoomCounters.class).memberships.sum()).isEqualTo(count);
            assertThat(established(server)).isEqualTo(count);
        });
    }

    private static int threads() {
        return ManagementFactory.getThreadMXBean().getThreadCount();
    }

    @Test
    void thousandsOfSocketsNeedFewThreadsAndLeaveNothingBehind() throws Exception {
        try (TestServer server = TestServer.start(log, "chat.server.socket.ping-interval=10m")) { // they answer none
            comeAndAreCut(server);
            // By now, allocations that are made once exist, such as buffers of each thread.
            long heap = heapInUse();
            long direct = directInUse();
            comeAndAreCut(server);
            Awaitility.await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> {
                assertThat(heapInUse()).isLessThan(heap + heap / 10);
                assertThat(directInUse()).isLessThanOrEqualTo(direct + direct / 10);
            });
        }
    }

    private static void comeAndAreCut(TestServer server) throws Exception {
        Bystanders bystanders = new Bystanders(server, "elsewhere");
        List<RawSocket> crowd = new ArrayList<>();
        for (int user = 1; user <= 100; user++) crowd.add(joined(server, user));
        awaitCount(server, 102);
        // The JVM and the test may start one or two more threads, but the sockets start none.
        int threads = threads() + 5;
        for (int user = 101; user <= 1500; user++) crowd.add(joined(server, user));
        awaitCount(server, 1502);
        assertThat(threads()).isLessThanOrEqualTo(threads);

        try (LogWatch watch = LogWatch.begin()) {
            long begun = System.nanoTime();
            for (RawSocket socket : crowd) socket.reset();

            Awaitility.await().atMost(Duration.ofSeconds(5)).untilAsserted(() -> {
                assertThat(server.bean(Sessions.class).count()).isEqualTo(2);
                assertThat(server.bean(RoomCounters.class).memberships.sum()).isEqualTo(2);
            });
            awaitCount(server, 2);
            watch.assertQuiet();
            Duration taken = Duration.ofNanos(System.nanoTime() - begun);
            assertThat(watch.lines()).isLessThanOrEqualTo(1 + (int) taken.toSeconds());
        }
        bystanders.assertUndisturbed();
        awaitCount(server, 0);
        assertThat(server.bean(Sessions.class).outboxBytes()).isZero();
        assertThat(server.bean(SessionAudit.class).phantoms()).isZero();
        Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .untilAsserted(() -> assertThat(threads()).isLessThanOrEqualTo(threads));
    }

    /** After a collection. */
    private static long heapInUse() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    /** Whether Netty takes it from the JVM or by itself. */
    private static long directInUse() {
        return Math.max(0, PlatformDependent.usedDirectMemory())
                + ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                        .filter(pool -> pool.getName().equals("direct"))
                        .mapToLong(BufferPoolMXBean::getMemoryUsed)
                        .sum();
    }

    private static RawSocket joined(TestServer server, int user) throws IOException {
        RawSocket socket = RawSocket.connect(server, "/chat/room" + user % 20);
        socket.text(join(user));
        return socket;
    }

    @Test
    void filledAndDrainedServerHasTheSameCapacityEachTime() throws Exception {
        int places = 30;
        try (TestServer server =
                TestServer.start(log, "chat.server.max-connections=" + places, "chat.server.room.partition-grace=1s")) {
            for (int cycle = 0; cycle < 10; cycle++) {
                List<RawSocket> crowd = new ArrayList<>();
                for (int user = 1; user <= places; user++) crowd.add(joined(server, user));
                awaitCount(server, places);
                awaitKernelCount(server, places);
                assertThat(RawSocket.handshake(server, "/chat/room")).startsWith("HTTP/1.1 503");
                for (int i = 0; i < places; i++) {
                    // By every way to go.
                    RawSocket socket = crowd.get(i);
                    switch ((i + cycle) % 3) {
                        case 0 -> socket.send(true, RawSocket.CLOSE, new byte[] {3, (byte) 0xe8});
                        case 1 -> socket.close();
                        default -> socket.reset();
                    }
                }
                awaitCount(server, 0);
                awaitKernelCount(server, 0);
                for (RawSocket socket : crowd) socket.close();
            }
            assertThat(server.bean(SessionAudit.class).phantoms()).isZero();
            assertThat(server.refused(ConnectionLimit.FULL)).isEqualTo(10);
            // Only partitions are given up of which no room has kept anybody.
            Awaitility.await()
                    .untilAsserted(() -> assertThat(server.bean(Rooms.class).partitionsRead())
                            .isZero());
            assertThat(server.bean(SessionCounters.class).turnedAway.sum()).isZero();
        }
    }

    /** As {@code ss} would show it: places, index, Netty and the system agree. */
    private static void awaitKernelCount(TestServer server, int count) {
        SessionAudit audit = server.bean(SessionAudit.class);
        Awaitility.await().until(() -> {
            audit.check();
            return audit.connectionsAtKernel() == (OS.LINUX.isCurrentOs() ? count : -1);
        });
        assertThat(server.bean(OpenConnections.class).count()).isEqualTo(count);
        assertThat(server.bean(ConnectionLimit.class).current()).isEqualTo(count);
    }

    /** By the server's own deadline: its exit code is 0 only if it closed all sockets and drained before. */
    @Test
    void stopClosesAThousandSocketsSpreadOverTimeWithin10s() throws Exception {
        TestServer server = TestServer.start(log, "chat.server.drain.timeout=10s");
        Drain drain = server.bean(Drain.class);
        List<RawSocket> crowd = new ArrayList<>();
        for (int user = 2; user <= 1001; user++) crowd.add(joined(server, user));
        awaitCount(server, 1000);
        LongAdder told = server.bean(SessionCounters.class).byCode(CloseCode.GOING_AWAY);

        Thread stopping = Thread.startVirtualThread(server::close);
        Set<Long> seen = new HashSet<>();
        Awaitility.await().pollInterval(Duration.ofMillis(5)).until(() -> {
            seen.add(told.sum());
            return told.sum() == crowd.size();
        });
        for (RawSocket socket : crowd) {
            assertThat(socket.closeCode()).isEqualTo(4200);
            socket.close();
        }

        stopping.join();
        assertThat(drain.getExitCode()).isZero();
        assertThat(seen).as("counts of closed sockets during the stop").hasSizeGreaterThan(3);
    }

    @Test
    void halfOpenSocketsAreFoundAndTheirRoomsHearOfIt() throws Exception {
        int lost = 100;
        try (TestServer server = TestServer.start(
                        log,
                        new TestConstants().pingGrace(Duration.ofSeconds(2)),
                        "chat.server.socket.ping-interval=1s");
                SilentProxy proxy = new SilentProxy(server.port());
                Guest witness = Guest.connect(server, "room", 1);
                Guest idle = Guest.connect(server, "elsewhere", 1)) {
            witness.joined();
            idle.joined();
            List<RawSocket> crowd = new ArrayList<>();
            for (int user = 2; user < 2 + lost; user++) {
                RawSocket socket = RawSocket.connect(proxy.port(), "/chat/room", 0);
                socket.text(join(user));
                crowd.add(socket);
            }
            witness.await(
                    "all",
                    () -> witness.heard().stream()
                                    .filter(heard -> heard.type().equals("JOIN"))
                                    .count()
                            == lost + 1);

            proxy.swallow();

            witness.await(
                    "their LEAVEs",
                    Duration.ofSeconds(3 + 5), // until they are silent for too long, and for the machine
                    () -> witness.heard().stream()
                                    .filter(heard -> heard.type().equals("LEAVE"))
                                    .count()
                            == lost);
            assertThat(server.bean(SessionCounters.class)
                            .byCode(CloseCode.SILENT)
                            .sum())
                    .isEqualTo(lost);
            awaitCount(server, 2);
            assertThat(idle.isClosed()).isFalse();
            for (RawSocket socket : crowd) socket.close();
        }
    }

    @Test
    void senderOfAThousandTextsReceivesAllAndItsLeaveLast() {
        try (TestServer server = TestServer.start(log)) {
            for (int round = 0; round < 30; round++) {
                try (Guest anna = Guest.connect(server, "room", 1);
                        Guest bert = Guest.connect(server, "room", 2)) {
                    bert.joined();
                    anna.join();
                    for (int i = 0; i < 10; i++) {
                        StringBuilder hundred = new StringBuilder("[");
                        for (int j = 0; j < 100; j++)
                            hundred.append(j == 0 ? "" : ",")
                                    .append(anna.textFrame("t" + (i * 100 + j), UUID.randomUUID()));
                        anna.say(hundred.append("]").toString());
                    }
                    UUID left = anna.leave();
                    anna.awaitAck(left);
                    bert.await("LEAVE", () -> bert.heard().getLast().type().equals("LEAVE"));
                    for (Guest guest : List.of(anna, bert)) {
                        List<Guest.Heard> heard = guest.heard();
                        int join = heard.size() - 1002;
                        assertThat(heard.get(join).type()).isEqualTo("JOIN");
                        for (int i = 0; i < 1000; i++)
                            assertThat(heard.get(join + 1 + i).text()).isEqualTo("t" + i);
                        assertThat(heard.getLast().id()).isEqualTo(left.toString());
                    }
                    assertThat(anna.acks()).hasSize(1001);
                    assertThat(anna.frames("ERROR")).isEmpty();
                }
            }
        }
    }
}
