package chat.launcher.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import chat.launcher.platform.Cluster;
import chat.nodes.HaproxyConfig;
import chat.testing.Needs;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Injects ten faults as {@code ./chaos} does, with less load and for a shorter time. */
@Needs({"haproxy", "rabbitmq"})
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ChaosIT {
    private static final int PARTITIONS = 4;
    private static final int RATE = 100;
    private static final long SEED = 1;
    private static final Timing SHORT = Timing.ofSeconds(1, 3, 3, 3);

    @TempDir
    static Path directory;

    private static final Cluster.Ports PORTS = Cluster.Ports.free(2, 2);
    private static Cluster cluster;
    private static Catalogue catalogue;
    private static ChaosRun run;
    private static ChaosResult result = ChaosResult.begin(SEED, RATE, 1);

    @BeforeAll
    static void start() {
        Path root = Path.of("..").toAbsolutePath().normalize();
        cluster = new Cluster(
                directory,
                new Cluster.Size(2, 1, 2, true),
                PORTS,
                root,
                null,
                null,
                HaproxyConfig.Placement.PARTITION,
                Map.of("CHAT_IDENTITY", "open"),
                System.out);
        cluster.start();
        URI proxy = URI.create("http://127.0.0.1:" + PORTS.proxy());
        Target target = new Target(cluster, proxy, PARTITIONS, root, directory.resolve("load"));
        Random random = new Random(SEED);
        catalogue = new Catalogue(target, SHORT, random);
        run = new ChaosRun(target, RATE, SHORT, random);
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "server-killed",
                "proxy-killed",
                "active-consumer-killed",
                "broker-stopped",
                "broker-killed",
                "broker-out-of-memory",
                "database-stopped",
                "connections-terminated",
                "messages-locked",
                "poison"
            })
    @Order(1)
    void nothingIsLostAndEverythingRecoversInTime(String fault) throws Exception {
        Outcome outcome = run.inject(catalogue.find(fault).orElseThrow());
        result = result.with(outcome);
        assertThat(outcome.complaints()).isEmpty();
        assertThat(outcome.counts().accepted()).isPositive();
        assertThat(outcome.counts()).isEqualTo(new Counts(outcome.counts().accepted(), 0, 0, 0, 0));
    }

    @Test
    @Order(2)
    void databasesAgreeAndTheReportHasEveryFault() throws Exception {
        assertThat(result.passed()).as("before the end").isFalse();
        result = result.end(run.compareDatabases());
        assertThat(result.complaints()).isEmpty();
        Path page = ChaosReport.write(directory, result);
        JsonNode report = JsonMapper.shared().readTree(Files.readAllBytes(directory.resolve("chaos.json")));
        assertThat(report.path("passed").booleanValue()).isTrue();
        assertThat(report.path("faults")
                        .valueStream()
                        .map(fault -> fault.path("name").stringValue()))
                .containsExactlyElementsOf(result.outcomes().stream()
                        .map(outcome -> outcome.fault().name())
                        .toList());
        assertThat(report.path("sums").path("accepted").longValue())
                .isEqualTo(result.outcomes().stream()
                        .mapToLong(outcome -> outcome.counts().accepted())
                        .sum());
        assertThat(page).content().contains("chaos: PASS").doesNotContain("{{");
    }
}
