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
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Runs {@code infra/drills/servers} with less load and for a shorter time. */
@Needs({"haproxy", "rabbitmq"})
class ServerDrillIT {
    private static final int PARTITIONS = 4;
    private static final int RATE = 300;
    private static final Duration BEFORE = Duration.ofSeconds(4);

    @TempDir
    static Path directory;

    private static final Cluster.Ports PORTS = Cluster.Ports.free(2, 1);
    private static Cluster cluster;

    // Error Prone assumes that the resource closes System.out.
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
    void nothingIsLostAndEverythingRecoversInTime(ServerDrill.Step step) throws Exception {
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
        // Without recovery of the p99 the time lasts until the end of the load, which must be after the bound of 30 s.
        return Duration.ofSeconds(step == ServerDrill.Step.SERVER ? 40 : 15);
    }
}
