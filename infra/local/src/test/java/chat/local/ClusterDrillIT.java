package chat.local;

import static org.assertj.core.api.Assertions.assertThat;

import chat.nodes.HaproxyConfig;
import chat.nodes.Ports;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code infra/drills/cluster} does, with the two losses that only a cluster survives. */
class ClusterDrillIT {
    private static final int PARTITIONS = 4;

    @TempDir
    static Path directory;

    private static final Cluster.Ports PORTS = freePorts();
    private static Cluster cluster;

    private static Cluster.Ports freePorts() {
        return new Cluster.Ports(Ports.free(), two(), two());
    }

    // Error Prone takes System.out in a resource for one that is closed.
    private static final PrintStream OUT = System.out;

    private static int two() {
        int first = Ports.free();
        while (!Ports.isFree(first + 1)) first = Ports.free();
        return first;
    }

    @BeforeAll
    static void start() {
        cluster = new Cluster(
                directory,
                new Cluster.Size(2, 3, 2, true),
                PORTS,
                TestPlaces.root(),
                null,
                null,
                HaproxyConfig.Placement.PARTITION,
                Map.of("CHAT_IDENTITY", "open"),
                System.out);
        cluster.start();
    }

    @AfterAll
    static void stop() {
        cluster.close();
        assertThat(cluster.brokers().nodes()).noneMatch(node -> node.isRunning());
    }

    @Test
    void nothingIsLostWithTheLeadingBrokerOrWithTheDatabaseThatIsWrittenTo() throws Exception {
        try (ClusterDrill drill = new ClusterDrill(
                cluster,
                PORTS,
                PARTITIONS,
                TestPlaces.root(),
                directory.resolve("load"),
                300,
                Duration.ofSeconds(12),
                OUT)) {
            assertThat(drill.run(List.of(ClusterDrill.Step.BROKER, ClusterDrill.Step.PRIMARY)))
                    .allSatisfy(outcome ->
                            assertThat(outcome.passed()).as("%s", outcome.log()).isTrue());
            assertThat(drill.databasesAgree()).isTrue();
        }
    }
}
