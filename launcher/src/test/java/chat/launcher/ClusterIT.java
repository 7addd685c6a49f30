package chat.launcher;

import static chat.launcher.TwoServers.assertAllIsWell;
import static org.assertj.core.api.Assertions.assertThat;

import chat.launcher.chaos.LoadRun;
import chat.launcher.platform.BrokerLists;
import chat.launcher.platform.ChildProgram;
import chat.testing.Needs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/** Runs two chat servers, the consumer, RabbitMQ and PostgreSQL as processes under load while some of them fail. */
@Needs("rabbitmq")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ClusterIT {
    private static final int PARTITIONS = 4;
    /** Maximum number of entries in flight to a reader. */
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
    @Order(1)
    void everyMessageIsAccountedFor() throws Exception {
        LoadRun run = two.load(50);
        assertAllIsWell(run);
        assertNothingStaysUnacknowledged();
        assertOnlyTheLogIsThere();
        assertThat(run.output())
                .contains(
                        "PASS  servers hold the connections that the operating system has",
                        "PASS  servers hold no phantom session");
        assertThat(broker.list("list_exchanges", "name", "type", "durable")).contains("chat.exchange\ttopic\ttrue");
    }

    /** They start their event loops with their first connections. */
    @Test
    @Order(2)
    void serversShareTheProcessors() throws Exception {
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

    /** The name in {@code ChatServerConfiguration}. */
    private static boolean isEventLoop(Path comm) {
        try {
            return Files.readString(comm).startsWith("sockets");
        } catch (IOException ended) {
            return false;
        }
    }

    /** A reader with a queue or a binding of its own would leave it behind. */
    private static void assertOnlyTheLogIsThere() {
        Set<String> queues = new HashSet<>();
        Set<String> bindings = new HashSet<>();
        for (int partition = 0; partition < PARTITIONS; partition++) {
            String stream = "chat.log." + partition;
            queues.add(stream);
            bindings.add(stream + "\tchat.exchange\troom." + partition);
            bindings.add(stream + "\t\t" + stream); // the default exchange's binding of every queue
        }
        assertThat(broker.list("list_queues", "name")).isEqualTo(queues);
        assertThat(broker.list("list_bindings", "destination_name", "source_name", "routing_key"))
                .isEqualTo(bindings);
    }

    /** Checks that exactly both servers and the consumer read each stream, and keep up with the heartbeats. */
    private static void assertNothingStaysUnacknowledged() {
        // A reader may have an unacknowledged heartbeat for a moment, but not each time.
        Set<String> always = new HashSet<>();
        AtomicBoolean asked = new AtomicBoolean();
        within(Duration.ofSeconds(5), System.nanoTime(), () -> {
            // RabbitMQ does not list consumers of streams, but channels count them.
            Set<String> readers = broker
                    .list("list_channels", "consumer_count", "pid", "prefetch_count", "messages_unacknowledged")
                    .stream()
                    .filter(line -> !line.startsWith("0\t"))
                    .collect(Collectors.toSet());
            Set<String> behind = readers.stream()
                    .filter(line -> !line.matches("1\t[^\t]+\t" + CREDIT + "\t0"))
                    .map(line -> line.split("\t", -1)[1])
                    .collect(Collectors.toSet());
            if (asked.getAndSet(true)) always.retainAll(behind);
            else always.addAll(behind);
            assertThat(readers).hasSizeBetween(PARTITIONS, 3 * PARTITIONS);
            assertThat(always).isEmpty();
        });
    }

    /**
     * Repeats the assertion until it holds. The last attempt starts when the time is over, so that the broker's
     * response time does not count.
     */
    private static void within(Duration time, long beginNanos, Runnable assertion) {
        while (true) {
            boolean last = System.nanoTime() - beginNanos >= time.toNanos();
            try {
                assertion.run();
                return;
            } catch (AssertionError notYet) {
                if (last) throw notYet;
            }
        }
    }

    @Test
    @Order(3)
    void everyMessageIsAccountedForWhenBothServersAreKilled() throws Exception {
        List<ChildProgram> servers = two.servers();
        List<Long> pids = new ArrayList<>();
        for (ChildProgram server : servers) {
            pids.add(server.pid());
            server.kill();
        }
        for (int i = 0; i < servers.size(); i++) servers.get(i).awaitRestart(pids.get(i));
        assertAllIsWell(two.load(20));
    }
}
