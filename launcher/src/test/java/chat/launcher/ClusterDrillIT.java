package chat.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import chat.testing.Needs;
import java.io.PrintStream;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs {@code infra/drills/cluster} with the two faults that only a cluster survives. */
@Needs({"haproxy", "rabbitmq"})
class ClusterDrillIT {
    private static final int PARTITIONS = 4;

    @TempDir
    static Path directory;

    private static final Cluster.Ports PORTS = Cluster.Ports.free(2, 2);
    private static Cluster cluster;

    // Error Prone assumes that the resource closes System.out.
    private static final PrintStream OUT = System.out;

    @BeforeAll
    static void start() {
        cluster = TestPlaces.cluster(directory, new Cluster.Size(2, 3, 2, true), PORTS, null);
        cluster.start();
    }

    @AfterAll
    static void stop() {
        cluster.close();
        assertThat(cluster.brokers().nodes()).noneMatch(node -> node.isRunning());
    }

    @Test
    void nothingIsLostWhenTheLeadingBrokerOrThePrimaryFails() throws Exception {
        try (Drill drill = new Drill(
                URI.create("http://127.0.0.1:" + PORTS.proxy()),
                PARTITIONS,
                TestPlaces.root(),
                directory.resolve("load"),
                new Drill.Load(300, Duration.ofSeconds(12), Duration.ofSeconds(3)),
                OUT)) {
            ClusterDrill faults = new ClusterDrill(cluster, PARTITIONS, drill, OUT);
            assertThat(faults.run(List.of(ClusterDrill.Step.BROKER, ClusterDrill.Step.PRIMARY)))
                    .allSatisfy(outcome -> assertThat(outcome.complaints()).isEmpty());
            assertThat(faults.databasesAgree()).isTrue();
        }
    }
}
