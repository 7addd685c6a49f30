package chat.server;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import chat.log.InMemoryRoomLog;
import chat.nodes.Ports;
import chat.protocol.RoomId;
import chat.server.admission.HandshakeLimit;
import chat.server.room.History;
import chat.server.room.NoHistory;
import chat.server.room.RoomCounters;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** All members of a server come back at once, and each goes on where it was. */
class HerdIT {
    private static final int ROOMS = 20;
    private static final int MEMBERS_OF_A_ROOM = 30;
    private static final int MEMBERS = ROOMS * MEMBERS_OF_A_ROOM;
    private static final int AT_ONCE = 80;
    private static final int WITNESSES = 10_000;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final CountingHistory history = new CountingHistory();
    private final ListAppender<ILoggingEvent> logged = new ListAppender<>();
    private final Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    private InMemoryRoomLog log;
    private TestServer there;
    private List<Guest> witnesses;

    /** A history that knows nothing, and how often it was asked. */
    private static final class CountingHistory implements History {
        private final AtomicInteger questions = new AtomicInteger();
        private final NoHistory nothing = new NoHistory();

        @Override
        public CompletableFuture<Page> after(RoomId room, long position, int limit) {
            questions.incrementAndGet();
            return nothing.after(room, position, limit);
        }

        @Override
        public CompletableFuture<Page> before(RoomId room, long position, int limit) {
            questions.incrementAndGet();
            return nothing.before(room, position, limit);
        }
    }

    /** Reconnects as the protocol advises: with jitter, not before Retry-After, and resumes. */
    private static final class Returning {
        private final String room;
        private final int user;
        private final Guest before;
        private final CompletableFuture<Guest> back = new CompletableFuture<>();
        private final Random random;
        private int refused;

        Returning(TestServer server, int number) {
            room = room(number % ROOMS);
            user = number + 1;
            before = Guest.connect(server, room, user);
            random = new Random(user);
        }

        /** Begins when the old socket is closed: until then something may come over it. */
        void to(TestServer server, Executor threads) {
            threads.execute(() -> {
                try {
                    assertThat(before.closeCode()).isEqualTo(4200);
                    come(server, threads);
                } catch (RuntimeException | Error unexpected) {
                    back.completeExceptionally(unexpected);
                }
            });
        }

        private void come(TestServer server, Executor threads) {
            try {
                back.complete(Guest.connect(server, room, user).resume(before.position()));
            } catch (Guest.NotLetIn refusal) {
                refused++;
                long wait = Math.max(0, refusal.retryAfterSeconds()) * 1000L + random.nextLong(500);
                CompletableFuture.delayedExecutor(wait, TimeUnit.MILLISECONDS, threads)
                        .execute(() -> come(server, threads));
            }
        }

        Guest awaitBack() throws Exception {
            Guest again = back.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            again.await("WELCOME", PATIENCE, () -> !again.frames("WELCOME").isEmpty());
            return again;
        }
    }

    private static String room(int number) {
        return "room" + number;
    }

    @BeforeEach
    void start() {
        log = new InMemoryRoomLog(4, 64 << 20, Clock.systemUTC());
        there = server();
        witnesses = new ArrayList<>();
        for (int i = 0; i < ROOMS; i++)
            witnesses.add(Guest.connect(there, room(i), WITNESSES + i).joined());
    }

    @AfterEach
    void stop() {
        root.detachAppender(logged);
        there.close();
        log.close();
    }

    private TestServer server(String... settings) {
        return TestServer.start(
                log,
                history,
                Stream.concat(Stream.of("chat.server.handshakes.max=" + AT_ONCE), Stream.of(settings))
                        .toArray(String[]::new));
    }

    private static List<Returning> members(TestServer server) {
        List<Returning> members = new ArrayList<>();
        for (int i = 0; i < MEMBERS; i++) {
            Returning member = new Returning(server, i);
            member.before.join();
            member.before.text("hello");
            members.add(member);
            if (i % (AT_ONCE / 2) == 0) awaitAccepted(members);
        }
        awaitAccepted(members);
        return members;
    }

    private static void awaitAccepted(List<Returning> members) {
        for (Returning member : members)
            member.before.await("its text", () -> member.before.acks().size() == 1);
    }

    /** Sends texts in every room while the clients reconnect. */
    private void talkUntil(AtomicBoolean end) {
        while (!end.get()) for (Guest witness : witnesses) witness.awaitAck(witness.text("meanwhile"));
    }

    private void watchLog() {
        logged.start();
        root.addAppender(logged);
    }

    private static List<String> ids(Guest... sockets) {
        return Stream.of(sockets)
                .flatMap(socket -> socket.heard().stream())
                .map(Guest.Heard::id)
                .toList();
    }

    /** Over both of its sockets, each client received every message that its room's witness received after the first. */
    private void assertNothingIsLost(List<Returning> members, TestServer where) throws Exception {
        List<String> last = new ArrayList<>();
        for (Guest witness : witnesses) {
            String id = witness.text("the end").toString();
            witness.await("its own text", () -> ids(witness).contains(id));
            last.add(id);
        }
        for (int i = 0; i < MEMBERS; i++) {
            Returning member = members.get(i);
            Guest again = member.awaitBack();
            String end = last.get(i % ROOMS);
            again.await("the end", PATIENCE, () -> ids(again).contains(end));
            List<String> heard = ids(member.before, again);
            List<String> all = ids(witnesses.get(i % ROOMS));
            assertThat(heard.subList(0, heard.indexOf(end) + 1))
                    .as("messages of member %s", i)
                    .doesNotHaveDuplicates()
                    .isEqualTo(all.subList(all.indexOf(heard.getFirst()), all.indexOf(end) + 1));
            assertThat(again.frames("GAP")).isEmpty();
        }
        assertThat(history.questions).as("questions to the history").hasValue(0);
        RoomCounters counters = where.bean(RoomCounters.class);
        assertThat(counters.resumedFromMemory.sum()).isGreaterThanOrEqualTo(MEMBERS);
        assertThat(counters.resumedFromHistory.sum()).isZero();
        assertThat(counters.backlogReads.sum()).isZero();
        int refused = members.stream().mapToInt(member -> member.refused).sum();
        assertThat(refused(where)).as("handshakes refused").isBetween(1L, (long) refused);
        assertThat(where.bean(HandshakeLimit.class).current()).isZero();
        assertThat(logged.list).as("lines logged").hasSizeLessThan(100);
    }

    /** However fast this machine is, some of the herd are refused. */
    private static List<RawSocket> takeAllHandshakes(TestServer server) throws IOException {
        List<RawSocket> silent = new ArrayList<>();
        for (int i = 0; i < AT_ONCE; i++) silent.add(RawSocket.connect(server, "/chat/" + room(0)));
        return silent;
    }

    private static long refused(TestServer server) {
        return server.bean(HandshakeLimit.class).rejected.sum();
    }

    /** @param server where they come back to */
    private void assertAllComeBack(List<Returning> members, TestServer server, Runnable begin) throws Exception {
        AtomicBoolean end = new AtomicBoolean();
        List<RawSocket> silent = takeAllHandshakes(server);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<?> talking = threads.submit(() -> talkUntil(end));
            for (Returning member : members) member.to(server, threads);
            try {
                long begun = System.nanoTime();
                begin.run();
                Awaitility.await().atMost(PATIENCE).until(() -> refused(server) > 0);
                for (RawSocket socket : silent) socket.close();
                for (Returning member : members) member.awaitBack();
                assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(PATIENCE);
            } finally {
                end.set(true);
            }
            talking.get();
        }
        assertNothingIsLost(members, server);
        for (Returning member : members) member.awaitBack().abort();
    }

    @Test
    void fromAServerThatIsStoppedToAnother() throws Exception {
        TestServer here = server();
        List<Returning> members = members(here);
        watchLog();
        assertAllComeBack(members, there, here::close);
    }

    @Test
    void herdReconnectsToARestartedServer() throws Exception {
        int port = Ports.free();
        TestServer here = server("server.port=" + port);
        List<Returning> members = members(here);
        watchLog();
        here.close();
        for (Guest witness : witnesses) witness.awaitAck(witness.text("while nobody is there"));
        try (TestServer again = server("server.port=" + port)) {
            assertAllComeBack(members, again, () -> {});
        }
    }
}
