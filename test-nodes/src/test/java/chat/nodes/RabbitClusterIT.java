package chat.nodes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import chat.testing.Needs;
import com.rabbitmq.client.Address;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Needs("rabbitmq")
class RabbitClusterIT {
    private static final String STREAM = "chat.log.0";

    @TempDir
    static Path directory;

    private static RabbitCluster cluster;
    private static volatile Consumer<String> progress = ignored -> {};

    @BeforeAll
    static void start() {
        List<Integer> ports = List.of(Ports.free(), Ports.free(), Ports.free());
        cluster = new RabbitCluster(directory, ports, RabbitTuning.USUAL, text -> progress.accept(text)).start();
    }

    @AfterAll
    static void close() {
        cluster.close();
    }

    /** One test, because each part needs the state of the cluster after the previous part. */
    @Test
    void majorityConfirmedEntriesSurviveTheLeaderAndAFullRestart() throws Exception {
        declareStream();
        publish(10);
        RabbitNode leader = cluster.leaderOf(STREAM).orElseThrow();

        leader.kill();
        await().atMost(Duration.ofSeconds(30))
                .ignoreExceptions()
                .until(() -> cluster.leaderOf(STREAM).isPresent());
        assertThat(cluster.leaderOf(STREAM).orElseThrow().name()).isNotEqualTo(leader.name());
        publish(10);

        leader.start();
        await().atMost(Duration.ofSeconds(30))
                .ignoreExceptions()
                .until(() -> cluster.any()
                        .ctl("list_queues", "--no-table-headers", "name", "online")
                        .contains(leader.name()));
        cluster.stop();
        assertThat(cluster.nodes()).noneMatch(RabbitNode::isRunning);
        cluster.start();
        await().atMost(Duration.ofSeconds(30))
                .ignoreExceptions()
                .untilAsserted(
                        () -> assertThat(cluster.any().ctl("list_queues", "--no-table-headers", "name", "messages"))
                                .isEqualTo(STREAM + "\t20"));
    }

    /** A starting node waits for its peers, so a node that is started alone would wait forever. */
    @Test
    void allNodesKilledAtOnceAreStartedTogether() throws Exception {
        List<RabbitNode> last = cluster.nodes().subList(1, 3);
        // The other nodes exit when the supervisor has seen only the first node's exit.
        progress = text -> {
            if (text.contains("confab-1 exited")) last.forEach(RabbitClusterIT::killProcess);
        };
        killProcess(cluster.nodes().getFirst());

        cluster.startWhatHasEnded();

        progress = ignored -> {};
        assertThat(cluster.nodes()).allMatch(RabbitNode::isRunning);
        try (Connection connection = connect();
                Channel channel = connection.createChannel()) {
            channel.queueDeclare("after", true, false, false, Map.of("x-queue-type", "quorum"));
        }
    }

    /** Kills the process as a crash does, without its {@link RabbitNode}. */
    private static void killProcess(RabbitNode node) {
        ProcessHandle process = ProcessHandle.of(node.pid()).orElseThrow();
        Processes.kill(process);
    }

    private static void declareStream() throws Exception {
        try (Connection connection = connect();
                Channel channel = connection.createChannel()) {
            channel.queueDeclare(STREAM, true, false, false, Map.of("x-queue-type", "stream"));
        }
    }

    private static void publish(int messages) throws Exception {
        try (Connection connection = connect();
                Channel channel = connection.createChannel()) {
            channel.confirmSelect();
            for (int i = 0; i < messages; i++) channel.basicPublish("", STREAM, null, new byte[] {1});
            channel.waitForConfirmsOrDie(20_000);
        }
    }

    private static Connection connect() throws Exception {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setUri(URI.create(cluster.nodes().getFirst().uri()));
        List<Address> addresses = new ArrayList<>();
        for (RabbitNode node : cluster.nodes()) addresses.add(new Address("127.0.0.1", node.port()));
        return factory.newConnection(addresses);
    }
}
