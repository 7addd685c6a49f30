package chat.launcher.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Reports a run of two faults, the second of which lost messages. */
class ChaosReportTest {
    @TempDir
    Path directory;

    private Outcome outcome(String id, String name, Counts counts, String... complaints) {
        Duration second = Duration.ofSeconds(1);
        return new Outcome(
                new CatalogueEntry(
                        id,
                        name,
                        "kill -9",
                        Duration.ZERO,
                        Duration.ZERO,
                        List.of(),
                        () -> Fault.of(() -> {}, () -> {})),
                counts,
                new Outcome.Times(second, second, second, 0, second, second, second, second, second),
                List.of(complaints),
                directory.resolve("load/" + name));
    }

    private ChaosResult result() {
        return ChaosResult.begin(7, 1_000, 1)
                .with(outcome("K1", "server-killed", new Counts(1_000, 0, 0, 0, 0)))
                .with(outcome("K7", "broker-killed", new Counts(500, 2, 1, 0, 0), "the load exited with code 1"))
                .end(List.of());
    }

    @Test
    void oneFailedFaultFailsTheRun() {
        assertThat(result().passed()).isFalse();
        assertThat(result().end(List.of("the replica differs")).passed()).isFalse();
        assertThat(ChaosResult.begin(7, 1_000, 1).end(List.of()).passed())
                .as("without faults")
                .isFalse();
        ChaosResult good = ChaosResult.begin(7, 1_000, 1).with(outcome("K1", "server-killed", Counts.NONE));
        assertThat(good.passed()).as("before the end").isFalse();
        assertThat(good.end(List.of()).passed()).isTrue();
    }

    @Test
    void filesHaveSumsAndComplaints() throws Exception {
        Path page = ChaosReport.write(directory, result());
        JsonNode report = JsonMapper.shared().readTree(Files.readAllBytes(directory.resolve("chaos.json")));
        assertThat(report.path("passed").booleanValue()).isFalse();
        assertThat(report.path("sums").path("accepted").longValue()).isEqualTo(1_500);
        assertThat(report.path("sums").path("lost").longValue()).isEqualTo(2);
        JsonNode failed = report.path("faults").path(1);
        assertThat(failed.path("complaints").path(0).stringValue()).isEqualTo("the load exited with code 1");
        assertThat(failed.path("load").stringValue()).isEqualTo("load/broker-killed/report.html");
        assertThat(page).content().contains("chaos: FAIL").doesNotContain("{{");
    }

    @Test
    void tableEndsWithTheSums() {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        try (PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8)) {
            OutcomeTable table = new OutcomeTable(out);
            result().outcomes().forEach(table::add);
            table.sums(result());
        }
        assertThat(printed.toString(StandardCharsets.UTF_8).strip().lines())
                .hasSize(5)
                .anySatisfy(line -> assertThat(line).matches("K1 +server-killed +1,000 .* passed: kill -9"))
                .anySatisfy(line -> assertThat(line)
                        .matches("K7 +broker-killed +500 .* FAILED: kill -9: the load exited with code 1"))
                .last()
                .asString()
                .isEqualTo("1 of 2 faults passed: 1,500 messages accepted, 2 lost, 1 doubled, 0 phantom, 0 reordered");
    }
}
