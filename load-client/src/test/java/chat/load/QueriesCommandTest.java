package chat.load;

import static org.assertj.core.api.Assertions.assertThat;

import chat.load.driver.FakeChat;
import chat.load.driver.FakeChat.Faults;
import chat.load.lab.query.FakeRest;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The command as one types it: what it prints, and its exit code. */
@Timeout(240)
class QueriesCommandTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void aGoodRunExitsWith0AndWritesItsSummary(@TempDir Path folder) throws IOException {
        try (FakeRest rest = new FakeRest(100, "7")) {
            assertThat(queries(rest, "--iterations", "20", "--seed", "7", "--out", folder.toString()))
                    .as(out.toString() + err)
                    .isZero();
        }
        assertThat(out.toString()).contains("closed loop, 8 at once", "seed 7", "PASS  answers are JSON", "written: ");
        JsonNode summary = JsonMapper.shared().readTree(Files.readAllBytes(folder.resolve("summary.json")));
        assertThat(summary.path("passed").asBoolean()).isTrue();
        assertThat(summary.path("plan").path("scenario").asString()).isEqualTo("queries");
        assertThat(summary.path("latencyMillis").path("Q1").path("count").asInt())
                .isEqualTo(20);
    }

    @Test
    void aMissingQueryExitsWith2AfterTheOthersWereShown() {
        try (FakeRest rest = new FakeRest(100, "7")) {
            rest.lacks("/active-users");
            assertThat(queries(rest, "--iterations", "20", "--query", "Q1,Q3")).isEqualTo(2);
        }
        assertThat(out.toString())
                .contains("Q1 ", "Q3: not supported by this server (404 from /api/analytics/active-users)");
    }

    @Test
    void aWrongAnswerExitsWith1() {
        try (FakeRest rest = new FakeRest(100, "7")) {
            rest.claimsNegativeUsers();
            assertThat(queries(rest, "--iterations", "3", "--query", "Q3")).isEqualTo(1);
        }
        assertThat(out.toString()).contains("FAIL  answers hold what was asked for", "activeUsers is -5");
    }

    @Test
    void unreachableServerExitsWith2AndOneLine() {
        FakeRest rest = new FakeRest(1, "7");
        rest.close();
        assertThat(queries(rest)).isEqualTo(2);
        assertThat(err.toString().lines()).singleElement().asString().contains("no answer from");
    }

    @Test
    void aChatRunsAtTheSameTime(@TempDir Path folder) {
        try (FakeRest rest = new FakeRest(100, "7");
                FakeChat chat = new FakeChat(1, new Faults())) {
            int exit = queries(
                    rest,
                    "--query",
                    "Q4",
                    "--out",
                    folder.toString(),
                    "--during-ingest",
                    "--",
                    "fanout",
                    "--rooms",
                    "1",
                    "--users",
                    "2",
                    "--messages",
                    "3",
                    "--url",
                    chat.urls().getFirst().toString());
            assertThat(exit).as(out.toString() + err).isZero();
        }
        assertThat(out.toString()).contains("at the same time: fanout --rooms 1", "PASS  the chat at the same time");
        assertThat(folder.resolve("ingest/summary.json")).exists();
        assertThat(folder.resolve("ingest/client.log")).content().contains("6 TEXTs");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "queries --url ws://127.0.0.1:1",
                "queries --url nothing",
                "queries --query Q9",
                "queries --concurrency 0",
                "queries --rate 0",
                "queries --iterations 0",
                "queries --duration 0",
                "queries --from yesterday",
                "queries --from 2026-11-20T10:00:00Z --to 2026-11-20T09:00:00Z",
                "queries --room 7 --run-name r1",
                "queries --during-ingest",
                "queries -- fanout"
            })
    void wrongUsageExitsWith2AndOneLine(String arguments) {
        assertThat(run(arguments.split(" ", -1))).isEqualTo(2);
        assertThat(err.toString().lines()).singleElement().asString().startsWith("load: ");
    }

    private int queries(FakeRest rest, String... more) {
        List<String> arguments = new ArrayList<>(
                List.of("queries", "--url", rest.url().toString(), "--ignore-targets", "--warm-up", "1"));
        arguments.addAll(List.of(more));
        return run(arguments.toArray(String[]::new));
    }

    private int run(String... arguments) {
        CommandLine command = LoadClient.commandLine();
        command.setOut(new PrintWriter(out, true));
        command.setErr(new PrintWriter(err, true));
        return command.execute(arguments);
    }
}
