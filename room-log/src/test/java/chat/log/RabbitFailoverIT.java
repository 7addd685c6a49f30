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
import java.net.URI;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfEnvironmentVariable;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kills each of three brokers under load, with production settings. Every entry is accepted or rejected before it is
 * overdue, so no session is closed with 4201. A server that publishes to a surviving node must detect a lost entry
 * itself: that node confirms entries of the lost leader, or never answers.
 */
@DisabledIfEnvironmentVariable(
        named = "CONFAB_WITHOUT",
        matches = ".*\\brabbitmq\\b.*",
        disabledReason = "RabbitMQ is not installed")
class RabbitFailoverIT {
    private static final int PARTITIONS = 4;
    /** Twice the time on an idle machine. */
    private static final Duration LONGEST = Duration.ofSeconds(10);

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    @TempDir
    Path directory;

    @Test
    void entriesAreReadBackInTimeWhenABrokerIsKilled() throws Exception {
        List<AutoCloseable> open = new ArrayList<>();
        List<Integer> ports = List.of(Ports.free(), Ports.free(), Ports.free());
        try (RabbitCluster cluster = new RabbitCluster(directory, ports, RabbitTuning.USUAL, ignored -> {}).start();
                ScheduledExecutorService load = Executors.newSingleThreadScheduledExecutor()) {
            // Like the local platform: replicas and leaders are spread.
            cluster.any()
                    .ctl(
                            "set_policy",
                            "--apply-to",
                            "queues",
                            "balanced",
                            "^chat\\.log\\.",
                            "{\"queue-leader-locator\":\"balanced\"}");
            List<TestServer> servers = new ArrayList<>();
            for (String name : List.of("a", "b")) {
                RoomLog log = new BreakingRoomLog(
                        log(name, cluster), new LogBreaker(BreakerSettings.DEFAULT, System::nanoTime));
                open.add(log);
                for (int partition = 0; partition < PARTITIONS; partition++) {
                    TestServer server = new TestServer(name, log, partition, LogSettings.DEFAULT, Clock.systemUTC());
                    open.add(server);
                    servers.add(server);
                }
            }
            for (TestServer server : servers) await().atMost(PATIENCE).until(server.started::isDone);
            ScheduledFuture<?> unused =
                    load.scheduleAtFixedRate(() -> servers.forEach(TestServer::send), 0, 20, TimeUnit.MILLISECONDS);
            for (RabbitNode node : cluster.nodes()) {
                for (TestServer server : servers) awaitProgress(server);
                node.kill();
                for (TestServer server : servers) awaitProgress(server);
                node.start();
                awaitAllReplicas(cluster);
            }
            load.shutdownNow();
            for (TestServer server : servers) {
                await().atMost(PATIENCE).until(server::knowsAllOutcomes);
                assertThat(server.sent(TestServer.Outcome.UNKNOWN)).isEmpty();
                assertThat(server.counters.overdue.sum()).isZero();
                assertThat(Duration.ofNanos(server.longestNanos.get())).isLessThan(LONGEST);
            }
        } finally {
            for (AutoCloseable each : open.reversed()) each.close();
        }
    }

    private static void awaitProgress(TestServer server) {
        long now = server.counters.accepted.sum();
        await().atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(10))
                .until(() -> server.counters.accepted.sum() > now + 20);
    }

    private static void awaitAllReplicas(RabbitCluster cluster) {
        String[] names = cluster.nodes().stream().map(RabbitNode::name).toArray(String[]::new);
        await().atMost(PATIENCE)
                .ignoreExceptions()
                .untilAsserted(() -> assertThat(cluster.any()
                                .ctl("list_queues", "--no-table-headers", "name", "online")
                                .lines()
                                .filter(line -> line.contains("chat.log.")))
                        .hasSize(PARTITIONS)
                        .allSatisfy(line -> assertThat(line).contains(names)));
    }

    private static RoomLog log(String name, RabbitCluster cluster) {
        return new RabbitRoomLog(
                new RabbitLogSettings(URI.create(cluster.uri()), PARTITIONS, "chat", 32, Duration.ofSeconds(5)),
                name,
                RabbitRoomLog.Access.READ_AND_WRITE);
    }
}
