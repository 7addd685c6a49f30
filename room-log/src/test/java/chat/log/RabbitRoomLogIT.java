package chat.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import chat.log.breaker.BreakerSettings;
import chat.log.breaker.BreakingRoomLog;
import chat.log.breaker.LogBreaker;
import chat.log.rabbit.RabbitLogSettings;
import chat.log.rabbit.RabbitRoomLog;
import chat.nodes.RabbitNode;
import chat.nodes.RabbitSettings;
import chat.testing.Needs;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.LongSummaryStatistics;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The contract on a real broker: one node for all tests, with an exchange and streams for each. */
@Needs("rabbitmq")
class RabbitRoomLogIT extends RoomLogContract {
    /** Small, so that every test fills several segments. */
    private static final int SEGMENT_BYTES = 20_000;

    private static final AtomicInteger TESTS = new AtomicInteger();

    @TempDir
    static Path directory;

    private static RabbitNode node;
    private static TcpProxy proxy;

    @BeforeAll
    static void startNode() throws IOException {
        node = new RabbitNode(RabbitSettings.in(directory.resolve("node"))).start();
        segments(".*", SEGMENT_BYTES, 0);
        proxy = new TcpProxy(node.port());
    }

    @AfterAll
    static void stopNode() throws IOException {
        proxy.close();
        node.close();
    }

    /** Sets the segment size of streams whose name matches; the policy with the highest priority applies. */
    private static void segments(String streams, int bytes, int priority) {
        node.ctl(
                "set_policy",
                "segments" + priority,
                streams,
                "{\"stream-max-segment-size-bytes\":" + bytes + "}",
                "--priority",
                String.valueOf(priority),
                "--apply-to",
                "queues");
    }

    @Override
    LogUnderTest create() {
        return new OnRabbit("t" + TESTS.incrementAndGet());
    }

    @Test
    void clientWithOptionalWritingReadsWithoutWritePermission() {
        String user = "reader" + TESTS.incrementAndGet();
        node.ctl("add_user", user, "secret");
        // The user may declare and read, but not publish.
        node.ctl("set_permissions", user, ".*", "^.*\\.log\\..*$", ".*");
        TestServer writer = startedServer("a");
        RabbitLogSettings settings = new RabbitLogSettings(
                URI.create("amqp://" + user + ":secret@127.0.0.1:" + node.port()),
                OnRabbit.PARTITIONS,
                "t" + (TESTS.get() - 1),
                32,
                Duration.ofSeconds(5));
        RabbitRoomLog log = new RabbitRoomLog(settings, user, RabbitRoomLog.Access.READ_AND_TELL);
        try {
            await().atMost(Duration.ofMinutes(2)).until(() -> log.state() == RoomLog.State.UP);
            List<RoomLog.State> states = new CopyOnWriteArrayList<>();
            log.onStateChange(() -> states.add(log.state()));
            List<Long> offsets = new CopyOnWriteArrayList<>();
            RoomLog.Tail tail = log.tail(0, new RoomLog.Start.First(), new RoomLog.TailHandler() {
                @Override
                public void entry(long offset, byte[] bytes) {
                    offsets.add(offset);
                }

                @Override
                public void ended(LogUnavailable cause) {
                    offsets.clear();
                }
            });
            try (tail) {
                for (int i = 0; i < 5; i++)
                    assertThat(log.append(0, new byte[] {1}).toCompletableFuture())
                            .failsWithin(Duration.ofSeconds(10));
                await().atMost(Duration.ofMinutes(2)).until(() -> !offsets.isEmpty());
            }
            assertThat(log.state()).isEqualTo(RoomLog.State.UP);
            assertThat(states).isEmpty();
        } finally {
            log.close();
        }
        assertThat(writer).isNotNull();
    }

    @Test
    void silentReaderIsReconnectedWithoutLoss() {
        TestServer writer = startedServer("a");
        RabbitLogSettings settings = new RabbitLogSettings(
                URI.create(node.uri()), OnRabbit.PARTITIONS, "t" + TESTS.get(), 32, Duration.ofSeconds(5));
        RabbitRoomLog log = new RabbitRoomLog(settings, "silent", RabbitRoomLog.Access.READ);
        try (TestReader reader = new TestReader(log, 0, new LogReader.Begin.Beginning(), SETTINGS)) {
            writer.send(5);
            await().atMost(Duration.ofMinutes(2))
                    .until(() -> reader.observed.ids().size() == 5);
            List<String> before = connections("silent reads");
            assertThat(before).hasSize(1);

            log.silent(0);

            await().atMost(Duration.ofMinutes(2))
                    .until(() -> connections("silent reads").size() == 1
                            && !connections("silent reads").equals(before));
            writer.send(5);
            await().atMost(Duration.ofMinutes(2))
                    .until(() -> reader.observed.ids().size() == 10);
            assertThat(reader.observed.gaps()).isEmpty();
        } finally {
            log.close();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {" publishes", " reads"})
    void losingOneConnectionTakesTheLogDownUntilItReconnects(String connection) {
        withLogBehindProxy(Duration.ofSeconds(5), (name, log) -> {
            List<RoomLog.State> states = new CopyOnWriteArrayList<>();
            log.onStateChange(() -> states.add(log.state()));

            proxy.cut(name + connection);

            await().atMost(Duration.ofMinutes(2))
                    .untilAsserted(() -> assertThat(states).containsExactly(RoomLog.State.DOWN, RoomLog.State.UP));
            assertThat(log.append(0, new byte[] {1}).toCompletableFuture()).succeedsWithin(Duration.ofMinutes(2));
        });
    }

    /** Its buffers are full, and a write has no timeout. */
    @Test
    void nodeThatStopsReadingIsAbandonedDuringAWrite() {
        withLogBehindProxy(Duration.ofSeconds(1), (name, log) -> {
            proxy.freeze(name + " publishes");
            for (int i = 0; i < 40; i++) {
                CompletionStage<Void> unused = log.append(0, new byte[512 * 1024]);
            }
            await().until(RabbitRoomLogIT::isStuckInAWrite);

            log.unanswered(0);

            await().atMost(Duration.ofSeconds(15)).until(() -> !isStuckInAWrite() && log.state() == RoomLog.State.UP);
            assertThat(log.append(0, new byte[] {1}).toCompletableFuture()).succeedsWithin(Duration.ofSeconds(10));
        });
    }

    private static boolean isStuckInAWrite() {
        return Thread.getAllStackTraces().entrySet().stream()
                .filter(thread -> thread.getKey().getName().equals("rabbit-publish"))
                .anyMatch(thread -> Stream.of(thread.getValue())
                                .anyMatch(frame -> frame.getMethodName().equals("basicPublish"))
                        && Stream.of(thread.getValue())
                                .anyMatch(frame -> frame.getClassName().endsWith("NioSocketImpl")
                                        && frame.getMethodName().equals("park")));
    }

    /** Also if the reader closes before the answer. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void readersLeaveANodeThatStopsAnswering(boolean givesUpBefore) {
        withLogBehindProxy(Duration.ofSeconds(1), (name, log) -> {
            assertThat(log.append(0, new byte[] {1}).toCompletableFuture()).succeedsWithin(Duration.ofSeconds(10));
            proxy.freeze(name + " reads");
            CompletableFuture<Void> ended = new CompletableFuture<>();
            CompletableFuture<Long> read = new CompletableFuture<>();
            RoomLog.TailHandler handler = new RoomLog.TailHandler() {
                @Override
                public void entry(long offset, byte[] bytes) {
                    read.complete(offset);
                }

                @Override
                public void ended(LogUnavailable cause) {
                    ended.complete(null);
                }
            };
            List<RoomLog.State> states = new CopyOnWriteArrayList<>();
            log.onStateChange(() -> states.add(log.state()));
            RoomLog.Tail unanswered = log.tail(0, new RoomLog.Start.First(), handler);
            if (givesUpBefore) await().until(() -> proxy.holdsBack(name + " reads")); // requested, not answered
            else assertThat(ended).succeedsWithin(Duration.ofSeconds(5));
            unanswered.close();
            await().atMost(Duration.ofSeconds(15))
                    .untilAsserted(() -> assertThat(states).containsExactly(RoomLog.State.DOWN, RoomLog.State.UP));
            try (RoomLog.Tail again = log.tail(0, new RoomLog.Start.First(), handler)) {
                assertThat(read).succeedsWithin(Duration.ofSeconds(10));
                again.handled(0);
            }
        });
    }

    private interface WithLog {
        void run(String name, RoomLog log);
    }

    private static void withLogBehindProxy(Duration connectTimeout, WithLog test) {
        String name = "behind" + TESTS.incrementAndGet();
        RabbitLogSettings settings = new RabbitLogSettings(
                URI.create(node.uri().replace(":" + node.port(), ":" + proxy.port())),
                OnRabbit.PARTITIONS,
                name,
                32,
                connectTimeout);
        RabbitRoomLog log = new RabbitRoomLog(settings, name, RabbitRoomLog.Access.READ_AND_WRITE);
        try {
            await().atMost(Duration.ofMinutes(2)).until(() -> log.state() == RoomLog.State.UP);
            test.run(name, log);
        } finally {
            log.close();
        }
    }

    private static List<String> connections(String name) {
        return node.ctl("list_connections", "pid", "client_properties")
                .lines()
                .filter(line -> line.contains('"' + name + '"'))
                .map(line -> line.substring(0, line.indexOf('\t')))
                .toList();
    }

    /**
     * Cuts connections repeatedly, some before the last cut is over: for 10 s, or for {@code -Dliveness.seconds}.
     */
    @Test
    void serversRecoverFromEveryCutConnection() {
        Duration length = Duration.ofSeconds(Long.getLong("liveness.seconds", 10));
        // Ten minutes fill 15,000 small segments, in which the broker needs up to three seconds to find an offset.
        segments("^t" + TESTS.get() + "\\.", 50_000_000, 1);
        LongSummaryStatistics standstills = new LongSummaryStatistics(); // ms after each cut
        Random random = new Random(7);
        TestServer a = startedServer("a");
        TestServer b = startedServer("b");
        TestReader consumer = readerFromTheBeginning();
        a.load();
        b.load();
        long end = System.nanoTime() + length.toNanos();
        while (System.nanoTime() < end) {
            switch (random.nextInt(4)) {
                case 0 -> proxy.cut(" publishes");
                case 1 -> proxy.cut(" reads");
                case 2 -> proxy.cut("");
                default -> node.ctl("close_all_connections", "on purpose");
            }
            long pause =
                    System.nanoTime() + Duration.ofMillis(random.nextInt(1500)).toNanos();
            await().pollInterval(Duration.ofMillis(20)).until(() -> System.nanoTime() > pause);
            long before = System.nanoTime();
            awaitProgress(a, b);
            Duration standstill = Duration.ofNanos(System.nanoTime() - before);
            standstills.accept(standstill.toMillis());
            assertThat(standstill).isLessThan(Duration.ofSeconds(10));
        }
        System.out.println("Standstills behind a cut, ms: " + standstills);

        assertGoesOn(a, b);
        assertNothingLost(List.of(a, b), List.of(consumer));
        assertThat(a.counters.unconfirmed.sum()).isLessThanOrEqualTo(1);
    }

    private interface OnChannel {
        void run(Channel channel) throws IOException;
    }

    private static final class OnRabbit implements LogUnderTest {
        private static final int PARTITIONS = 3;
        private final String prefix;
        private final List<RabbitRoomLog> servers = new CopyOnWriteArrayList<>();

        OnRabbit(String prefix) {
            this.prefix = prefix;
        }

        private String stream(int partition) {
            return prefix + ".log." + partition;
        }

        @Override
        public RoomLog server() {
            RabbitLogSettings settings = new RabbitLogSettings(
                    URI.create(node.uri().replace(":" + node.port(), ":" + proxy.port())),
                    PARTITIONS,
                    prefix,
                    32,
                    Duration.ofSeconds(5));
            RabbitRoomLog server =
                    new RabbitRoomLog(settings, prefix + "-" + servers.size(), RabbitRoomLog.Access.READ_AND_WRITE);
            servers.add(server);
            // Like a chat server: the contract also holds behind the breaker.
            return new BreakingRoomLog(server, new LogBreaker(BreakerSettings.DEFAULT, System::nanoTime));
        }

        @Override
        public void cutPublishing() {
            proxy.cut(" publishes");
        }

        @Override
        public void cutReading() {
            proxy.cut(" reads");
        }

        @Override
        public void goDown() {
            node.stop();
        }

        @Override
        public void comeUp() {
            node.start();
        }

        @Override
        public void hang() {
            node.pause();
        }

        @Override
        public void goOn() {
            node.resume();
        }

        @Override
        public void unroute(int partition) {
            onChannel(channel -> channel.queueUnbind(stream(partition), prefix + ".exchange", "room." + partition));
        }

        @Override
        public void route(int partition) {
            onChannel(channel -> channel.queueBind(stream(partition), prefix + ".exchange", "room." + partition));
        }

        /** The reader declares the stream again. */
        @Override
        public void deleteAndDeclareAgain(int partition) {
            onChannel(channel -> channel.queueDelete(stream(partition)));
        }

        @Override
        public void truncateBelow(int partition, long offset, Runnable writeSome) {
            node.ctl(
                    "set_policy",
                    "short-" + prefix,
                    "^" + prefix + "\\.",
                    String.format(
                            Locale.ROOT,
                            "{\"stream-max-segment-size-bytes\":%d,\"max-length-bytes\":%d}",
                            SEGMENT_BYTES,
                            2 * SEGMENT_BYTES),
                    "--priority",
                    "1",
                    "--apply-to",
                    "queues");
            await().atMost(Duration.ofMinutes(2)).until(() -> {
                writeSome.run();
                return firstOffset(partition) > offset;
            });
        }

        private long firstOffset(int partition) {
            CompletableFuture<Long> first = new CompletableFuture<>();
            RoomLog.Tail tail = servers.getFirst()
                    .tail(partition, new RoomLog.Start.First(), new RoomLog.TailHandler() {
                        @Override
                        public void entry(long offset, byte[] bytes) {
                            first.complete(offset);
                        }

                        @Override
                        public void ended(LogUnavailable cause) {
                            first.completeExceptionally(cause);
                        }
                    });
            try (tail) {
                return first.orTimeout(10, TimeUnit.SECONDS).join();
            }
        }

        @Override
        public void remember() {
            node.stop();
            copy(data(), directory.resolve("remembered"));
            node.start();
        }

        @Override
        public void loseTail() {
            node.kill();
            copy(directory.resolve("remembered"), data());
            node.start();
        }

        private static Path data() {
            return directory.resolve("node").resolve("mnesia");
        }

        private static void copy(Path from, Path to) {
            try {
                if (Files.exists(to)) {
                    try (Stream<Path> all = Files.walk(to)) {
                        for (Path path : all.sorted(Comparator.reverseOrder()).toList()) Files.delete(path);
                    }
                }
                try (Stream<Path> all = Files.walk(from)) {
                    for (Path path : all.toList()) Files.copy(path, to.resolve(from.relativize(path)));
                }
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }

        private static void onChannel(OnChannel step) {
            ConnectionFactory factory = new ConnectionFactory();
            try {
                factory.setUri(node.uri());
            } catch (URISyntaxException | GeneralSecurityException wrong) {
                throw new IllegalStateException(wrong);
            }
            try (Connection connection = factory.newConnection();
                    Channel channel = connection.createChannel()) {
                step.run(channel);
            } catch (IOException | java.util.concurrent.TimeoutException failure) {
                throw new IllegalStateException(failure);
            }
        }

        @Override
        public void close() {
            if (node.isRunning()) node.resume();
            else node.start();
            servers.forEach(RabbitRoomLog::close);
        }
    }
}
