package chat.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What {@code infra/drills/servers} does, with less load and for a shorter time. */
class ServerDrillIT {
    private static final int PARTITIONS = 4;
    /** The bound of the drill is longer than this load: here what is not over by the load's end has to be too long. */
    private static final Duration LONGEST_LATENCY = Duration.ofSeconds(10);

    @TempDir
    static Path directory;

    private static final Cluster.Ports PORTS = Cluster.Ports.free(2, 1);
    private static Cluster cluster;
    private static Drill drill;
    private static ServerDrill faults;

    @BeforeAll
    static void start() {
        cluster = TestPlaces.cluster(directory, Cluster.Size.servers(2), PORTS, null);
        cluster.start();
        drill = new Drill(
                URI.create("http://127.0.0.1:" + PORTS.proxy()),
                PARTITIONS,
                TestPlaces.root(),
                directory.resolve("load"),
                new Drill.Load(300, Duration.ofSeconds(20), Duration.ofSeconds(4)),
                System.out);
        faults = new ServerDrill(cluster, drill);
    }

    @AfterAll
    static void stop() {
        if (drill != null) drill.close();
        cluster.close();
    }

    @ParameterizedTest
    @EnumSource
    void nothingIsLostAndAllIsBackInTime(ServerDrill.Step step) throws Exception {
        assertThat(faults.run(List.of(step))).singleElement().satisfies(outcome -> {
            assertThat(outcome.complaints()).isEmpty();
            if (step == ServerDrill.Step.SERVER)
                assertThat(outcome.latency()).as("p99").isLessThanOrEqualTo(LONGEST_LATENCY);
        });
    }
}
