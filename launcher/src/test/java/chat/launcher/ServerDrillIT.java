package chat.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintStream;
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
    private static final int RATE = 300;
    private static final Duration BEFORE = Duration.ofSeconds(4);

    @TempDir
    static Path directory;

    private static final Cluster.Ports PORTS = Cluster.Ports.free(2, 1);
    private static Cluster cluster;

    // Error Prone takes System.out in a resource for one that is closed.
    private static final PrintStream OUT = System.out;

    @BeforeAll
    static void start() {
        cluster = TestPlaces.cluster(directory, Cluster.Size.servers(2), PORTS, null);
        cluster.start();
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @ParameterizedTest
    @EnumSource
    void nothingIsLostAndAllIsBackInTime(ServerDrill.Step step) throws Exception {
        try (Drill drill = new Drill(
                URI.create("http://127.0.0.1:" + PORTS.proxy()),
                PARTITIONS,
                TestPlaces.root(),
                directory.resolve("load"),
                new Drill.Load(RATE, duration(step), BEFORE),
                OUT)) {
            assertThat(new ServerDrill(cluster, drill).run(List.of(step)))
                    .singleElement()
                    .satisfies(outcome -> assertThat(outcome.complaints()).isEmpty());
        }
    }

    private static Duration duration(ServerDrill.Step step) {
        // A p99 that does not come back takes until the load's end, which has to be beyond the bound of 30 s.
        return Duration.ofSeconds(step == ServerDrill.Step.SERVER ? 40 : 15);
    }
}
