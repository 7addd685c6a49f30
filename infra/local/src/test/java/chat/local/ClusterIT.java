package chat.local;

import static chat.local.TwoServers.assertAllIsWell;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two chat servers, the consumer, RabbitMQ and PostgreSQL as processes, under load, while parts of them break. */
class ClusterIT {
    private static final int PARTITIONS = 4;
    /** Entries on their way to a reader, at most. */
    private static final int CREDIT = 16;

    @TempDir
    static Path directory;

    private static TwoServers two;
    private static BrokerLists broker;

    @BeforeAll
    static void start() {
        two = new TwoServers(directory);
        broker = new BrokerLists(two.cluster().rabbit());
    }

    @AfterAll
    static void stop() {
        two.close();
    }

    @Test
    void everyMessageIsAccountedFor() throws Exception {
        LoadRun run = two.load(50);
        assertAllIsWell(run);
        assertNothingStaysUnacknowledged();
        assertThat(run.output())
                .contains(
                        "PASS  servers hold the connections that the operating system has",
                        "PASS  servers hold no phantom session");
        assertThat(broker.list("list_exchanges", "name", "type", "durable")).contains("chat.exchange\ttopic\ttrue");
    }

    @Test
    void theServersShareTheProcessorsForTheirEventLoops() throws Exception {
        assertAllIsWell(two.load(10));
        int share = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
        for (ChildProgram server : two.servers())
            assertThat(eventLoops(server.pid())).isEqualTo(share);
    }

    private static long eventLoops(long pid) throws IOException {
        try (Stream<Path> threads = Files.list(Path.of("/proc/" + pid + "/task"))) {
            return threads.map(thread -> thread.resolve("comm"))
                    .filter(ClusterIT::isEventLoop)
                    .count();
        }
    }

    /** As it is called in {@code ChatServerConfiguration}. */
    private static boolean isEventLoop(Path comm) {
        try {
            return Files.readString(comm).startsWith("sockets");
        } catch (IOException ended) {
            return false;
        }
    }

    @Test
    void alsoWhenTheConsumerIsKilled() throws Exception {
        assertAllIsWell(two.underLoad(() -> two.consumer().kill()));
    }

    @Test
    void alsoWhenAChatServerIsKilled() throws Exception {
        ChildProgram server = two.servers().getFirst();
        Set<String> itsConnections = broker.connectionsOf(server);
        assertThat(itsConnections).as("one that reads and one that publishes").hasSize(2);
        Set<String> queues = broker.list("list_queues", "name");
        Set<String> bindings = broker.list("list_bindings", "source_name", "destination_name", "routing_key");
        assertAllIsWell(two.underLoad(server::kill));
        server.awaitHealthy();
        // Asked when nobody talks: the question takes seconds of a processor that is busy.
        await().atMost(Duration.ofMinutes(2)).untilAsserted(() -> assertNothingIsLeftOf(itsConnections));
        // A reader that has gone would leave a queue or a binding, had it any of its own.
        assertThat(broker.list("list_queues", "name")).isEqualTo(queues).hasSize(PARTITIONS);
        assertThat(broker.list("list_bindings", "source_name", "destination_name", "routing_key"))
                .isEqualTo(bindings);
        assertNothingStaysUnacknowledged();
    }

    private static void assertNothingIsLeftOf(Set<String> connections) {
        assertThat(broker.list("list_connections", "pid")).doesNotContainAnyElementsOf(connections);
        assertThat(broker.list("list_channels", "connection")).doesNotContainAnyElementsOf(connections);
    }

    /**
     * Of each stream both servers and the consumer are left to read it, and they keep up with the heartbeats: within 5 s
     * after a run, and as long again for the questions.
     */
    private static void assertNothingStaysUnacknowledged() {
        await().atMost(Duration.ofSeconds(10)).untilAsserted(() -> {
            // RabbitMQ lists no consumers of streams; channels count theirs.
            List<String> readers = broker
                    .list("list_channels", "pid", "consumer_count", "prefetch_count", "messages_unacknowledged")
                    .stream()
                    .map(line -> line.substring(line.indexOf('\t') + 1))
                    .filter(line -> !line.startsWith("0\t"))
                    .toList();
            assertThat(readers).hasSizeBetween(PARTITIONS, 3 * PARTITIONS).containsOnly("1\t" + CREDIT + "\t0");
        });
    }

    @Test
    void alsoWhenAllConnectionsToTheBrokerAreClosed() throws Exception {
        assertAllIsWell(two.underLoad(() -> two.cluster().rabbit().ctl("close_all_connections", "test")));
    }

    @Test
    void alsoWhenBothServersAreKilledAtOnce() throws Exception {
        assertAllIsWell(two.load(20));
        List<ChildProgram> servers = two.servers();
        List<Long> pids = new ArrayList<>();
        for (ChildProgram server : servers) {
            pids.add(server.pid());
            server.kill();
        }
        for (int i = 0; i < servers.size(); i++) Drill.awaitNext(servers.get(i), pids.get(i));
        assertAllIsWell(two.load(20));
    }
}
