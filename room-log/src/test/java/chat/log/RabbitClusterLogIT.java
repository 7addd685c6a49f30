package chat.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import chat.log.breaker.BreakerSettings;
import chat.log.breaker.BreakingRoomLog;
import chat.log.breaker.LogBreaker;
import chat.log.rabbit.RabbitLogSettings;
import chat.log.rabbit.RabbitRoomLog;
import chat.nodes.Ports;
import chat.nodes.RabbitCluster;
import chat.nodes.RabbitNode;
import chat.nodes.RabbitTuning;
import chat.testing.Needs;
import java.net.URI;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The log on three nodes, with three replicas of each stream; one node at a time may be down. */
@Needs("rabbitmq")
class RabbitClusterLogIT {
    private static final String STREAM = "chat.log.0";

    private static final int PARTITIONS = 4;

    /** Of publishing until reading back, while a node is killed: twice the time on an idle machine. */
    private static final Duration LONGEST = Duration.ofSeconds(10);

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    /** No entry is dropped while a leader is elected and a node starts. */
    private static final LogSettings SETTINGS = new LogSettings(
            2,
            Duration.ofMillis(1),
            64 * 1024,
            64,
            Duration.ofMillis(500),
            Duration.ofMillis(1600),
            Duration.ofSeconds(100),
            Duration.ofHours(1), // the tests share a log: servers read it from the start, like readers
            Duration.ofMillis(50));

    @TempDir
    static Path directory;

    private static RabbitCluster cluster;

    private final List<AutoCloseable> open = new ArrayList<>();

    @BeforeAll
    static void startNodes() {
        List<Integer> ports = List.of(Ports.free(), Ports.free(), Ports.free());
        cluster = new RabbitCluster(directory, ports, RabbitTuning.USUAL, ignored -> {}).start();
    }

    @AfterAll
    static void stopNodes() {
        cluster.close();
    }

    @AfterEach
    void closeAll() throws Exception {
        for (AutoCloseable each : open.reversed()) each.close();
    }

    /**
     * Kills each node under load, with production settings. Every entry is accepted or rejected before it is overdue, so
     * no session is closed with 4201. A server that publishes to a surviving node must detect a lost entry itself: that
     * node confirms entries of the lost leader, or never answers.
     */
    @Test
    void killedNodesLoseAndDuplicateNothingAndEntriesAreReadBackInTime() {
        balanceLeaders();
        List<List<TestServer>> partitions = new ArrayList<>();
        List<TestReader> consumers = new ArrayList<>();
        RoomLog reading = log("reader", "failover", PARTITIONS);
        List<RoomLog> logs = List.of(log("a", "failover", PARTITIONS), log("b", "failover", PARTITIONS));
        for (int partition = 0; partition < PARTITIONS; partition++) {
            int number = partition;
            partitions.add(logs.stream()
                    .map(log -> server("s" + logs.indexOf(log), log, number, LogSettings.DEFAULT))
                    .toList());
            TestReader consumer =
                    new TestReader(reading, partition, new LogReader.Begin.Beginning(), LogSettings.DEFAULT);
            open.add(consumer);
            consumers.add(consumer);
        }
        TestServer[] servers = partitions.stream().flatMap(List::stream).toArray(TestServer[]::new);
        try (ScheduledExecutorService load = Executors.newSingleThreadScheduledExecutor()) {
            var unused = load.scheduleAtFixedRate(
                    () -> {
                        for (TestServer server : servers) server.send();
                    },
                    0,
                    20,
                    TimeUnit.MILLISECONDS);
            for (RabbitNode node : cluster.nodes()) {
                RoomLogContract.awaitProgress(servers);
                node.kill();
                RoomLogContract.awaitProgress(servers);
                node.start();
                awaitReplicas();
            }
            RoomLogContract.awaitProgress(servers);
            load.shutdownNow();
        }

        for (int partition = 0; partition < PARTITIONS; partition++)
            RoomLogContract.assertNothingLost(partitions.get(partition), List.of(consumers.get(partition)));
        for (TestServer server : servers) {
            assertThat(server.counters.overdue.sum()).isZero();
            assertThat(Duration.ofNanos(server.longestNanos.get())).isLessThan(LONGEST);
        }
    }

    /** Like the local platform: each node leads some partitions. */
    private static void balanceLeaders() {
        cluster.any()
                .ctl(
                        "set_policy",
                        "--apply-to",
                        "queues",
                        "balanced",
                        "^failover\\.log\\.",
                        "{\"queue-leader-locator\":\"balanced\"}");
    }

    @Test
    void serverOnAStalledReplicaReadsFromAnotherNodeWithoutGap() {
        RoomLog log = log("a");
        TestServer a = server("a", log);
        TestReader consumer = new TestReader(log("reader"), 0, new LogReader.Begin.Beginning(), LogSettings.DEFAULT);
        open.add(consumer);
        RabbitNode leader = leader();
        RabbitNode behind = cluster.nodes().stream()
                .filter(node -> !node.equals(leader))
                .findFirst()
                .orElseThrow();
        readAt(behind, "a", log);
        a.load();
        RoomLogContract.awaitProgress(a);

        copying(leader, behind, "suspend");
        try {
            await().atMost(PATIENCE)
                    .until(() ->
                            readBy("a").filter(node -> !node.equals(behind)).isPresent());
            RoomLogContract.awaitProgress(a);

            // The log on that node lacks the entries that it has read since.
            long silences = a.counters.resubscribed.sum();
            readAt(behind, "a", log);
            await().atMost(PATIENCE).until(() -> a.counters.resubscribed.sum() > silences);
        } finally {
            copying(leader, behind, "resume");
        }

        RoomLogContract.assertGoesOn(a);
        RoomLogContract.assertNothingLost(List.of(a), List.of(consumer));
    }

    /** Reconnects the log of this name until it reads from this node. */
    private static void readAt(RabbitNode node, String name, RoomLog log) {
        await().atMost(PATIENCE).until(() -> {
            Optional<RabbitNode> read = readBy(name);
            if (read.isPresent() && !read.get().equals(node)) log.silent(0);
            return read.equals(Optional.of(node));
        });
    }

    /** The node from which the log of this name reads. */
    private static Optional<RabbitNode> readBy(String name) {
        String connection = cluster.any()
                .ctl("list_connections", "pid", "client_properties")
                .lines()
                .filter(line -> line.contains('"' + name + " reads\""))
                .findFirst()
                .orElse("");
        return cluster.nodes().stream()
                .filter(node -> connection.startsWith("<" + node.name() + "@"))
                .findFirst();
    }

    /**
     * Suspends or resumes the process that copies the stream's entries from its leader to this node; the node still
     * answers, but receives none.
     */
    private static void copying(RabbitNode leader, RabbitNode to, String what) {
        String done = leader.ctl("eval", """
                        To = '%s@localhost',
                        IsTo = fun(P) -> lists:any(fun(E) -> is_pid(E) andalso node(E) =:= To end,
                                                   tuple_to_list(sys:get_state(P))) end,
                        OfStream = fun(P) -> string:find(io_lib:format("~p", [sys:get_state(P)]), "%s") =/= nomatch end,
                        length([sys:%s(P) || {_, P, _, _} <- supervisor:which_children(osiris_replica_reader_sup),
                                             IsTo(P), OfStream(P)]).
                        """.formatted(to.name(), STREAM, what));
        assertThat(done.strip()).isEqualTo("1");
    }

    private static RabbitNode leader() {
        await().atMost(PATIENCE)
                .ignoreExceptions()
                .until(() -> cluster.leaderOf(STREAM).isPresent());
        return cluster.leaderOf(STREAM).orElseThrow();
    }

    /** Until then, killing another node would leave no majority. */
    private static void awaitReplicas() {
        String[] names = cluster.nodes().stream().map(RabbitNode::name).toArray(String[]::new);
        await().atMost(PATIENCE)
                .ignoreExceptions()
                .untilAsserted(() -> assertThat(cluster.any()
                                .ctl("list_queues", "--no-table-headers", "name", "online")
                                .lines()
                                .filter(line -> line.contains(".log.")))
                        .isNotEmpty()
                        .allSatisfy(line -> assertThat(line).contains(names)));
    }

    private TestServer server(String name, RoomLog log) {
        return server(name, log, 0, SETTINGS);
    }

    private TestServer server(String name, RoomLog log, int partition, LogSettings settings) {
        TestServer server = new TestServer(
                name,
                new BreakingRoomLog(log, new LogBreaker(BreakerSettings.DEFAULT, System::nanoTime)),
                partition,
                settings,
                Clock.systemUTC());
        open.add(server);
        await().atMost(PATIENCE).until(server.started::isDone);
        return server;
    }

    private RoomLog log(String name) {
        return log(name, "chat", 1);
    }

    private RoomLog log(String name, String prefix, int partitions) {
        RabbitLogSettings settings =
                new RabbitLogSettings(URI.create(cluster.uri()), partitions, prefix, 32, Duration.ofSeconds(5));
        RabbitRoomLog log = new RabbitRoomLog(settings, name, RabbitRoomLog.Access.READ_AND_WRITE);
        open.add(log);
        return log;
    }
}
