package chat.load;

import static org.assertj.core.api.Assertions.assertThat;

import chat.load.driver.FakeChat;
import chat.load.driver.FakeChat.Faults;
import chat.load.lab.child.CommandWords;
import chat.load.lab.child.FakeClient;
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

/** {@code sweep} and {@code compare} as one types them: what they print, and their exit codes. */
@Timeout(240)
class SweepCommandTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir
    private Path folder;

    @Test
    void aSweepRunsThisLoadClientForEachValue() throws IOException {
        try (FakeChat chat = new FakeChat(1, new Faults())) {
            assertThat(run(
                            "sweep --option window=1,3 --repeats 1 --warm-ups 0 --out " + folder,
                            "-- fanout --rooms 1 --users 2 --messages 3 --url "
                                    + chat.urls().getFirst()))
                    .as(out.toString() + err)
                    .isZero();
        }
        assertThat(out.toString())
                .contains("sweep: 2 runs, 2 settings x 1 repeat, in turn, no warm-up", "[2/2] window=3, repeat 1")
                .contains("msg/s", "medians", "side by side: ./load report " + folder);
        assertThat(Files.readString(folder.resolve("2-window=3/summary.json"))).containsPattern("\"window\" ?: ?3");
        assertThat(Files.readAllLines(folder.resolve("sweep.csv"))).hasSize(3);
    }

    @Test
    void aFailedRunExitsWith1AfterAllHaveRun() {
        int exit = run(
                "sweep --option exit=1,0 --repeats 1 --warm-ups 0 --out " + folder + " --client",
                CommandWords.join(FakeClient.command()),
                "-- fanout");
        assertThat(exit).as(out.toString() + err).isEqualTo(1);
        assertThat(out.toString()).contains("[2/2] exit=0, repeat 1", "FAIL  " + folder.resolve("1-exit=1"));
    }

    @Test
    void sweepWithoutAJudgedRunExitsWith2() {
        int exit = run(
                "sweep --option exit=2,3 --repeats 1 --warm-ups 0 --out " + folder + " --client",
                CommandWords.join(FakeClient.command()),
                "-- fanout");
        assertThat(exit).as(out.toString() + err).isEqualTo(2);
    }

    @Test
    void serversAreComparedByTheirDrivers() throws IOException {
        try (FakeChat one = new FakeChat(1, new Faults());
                FakeChat other = new FakeChat(1, new Faults())) {
            int exit = run(
                    "compare --server confab=" + one.urls().getFirst() + " --server other:nats="
                            + other.urls().getFirst() + " --repeats 2 --out " + folder + " --client",
                    CommandWords.join(FakeClient.command()),
                    "-- fanout --window 2");
            assertThat(exit).as(out.toString() + err).isZero();
            assertThat(Files.readAllLines(folder.resolve("2-server=other/arguments.txt")))
                    .containsExactly(
                            "fanout",
                            "--window",
                            "2",
                            "--driver",
                            "nats",
                            "--url",
                            other.urls().getFirst().toString(),
                            "--out",
                            folder.resolve("2-server=other").toString());
        }
        assertThat(out.toString()).contains("ratio", "lost", "all: not checked: accepted is stored");
        assertThat(folder.resolve("compare.json")).exists();
    }

    @Test
    void aDryRunPrintsThePlanAndTouchesNothing() {
        Path nowhere = folder.resolve("new");
        assertThat(run(
                        "sweep --set CHAT_X=4,8 --set CHAT_Y=a,b --one-at-a-time --platform './run --servers 2' --dry-run "
                                + "--out " + nowhere,
                        "-- baseline --messages 100 --url ws://127.0.0.1:8081"))
                .as(err.toString())
                .isZero();
        assertThat(out.toString())
                .contains("sweep: 9 runs, 3 settings x 3 repeats")
                .contains("  start  CHAT_X=8 CHAT_Y=a ./run --servers 2 --dir " + nowhere)
                .contains("  await  http://127.0.0.1:8090/health")
                .contains(" baseline --messages 100 --url ws://127.0.0.1:8081 --out " + nowhere);
        assertThat(nowhere).doesNotExist();
    }

    @Test
    void aFolderWithSomethingInItIsRefused() throws IOException {
        Files.writeString(folder.resolve("sweep.csv"), "figures");
        assertThat(run("sweep --option window=1,2 --out " + folder, "-- fanout --url ws://127.0.0.1:1"))
                .isEqualTo(2);
        assertThat(err.toString()).contains("is not empty");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "sweep --out x -- fanout",
                "sweep --option window=1 -- fanout",
                "sweep --option window=1 --out x",
                "sweep --option window --out x -- fanout",
                "sweep --option window=1 --out x -- fanout --window 2",
                "sweep --option window=1 --out x -- fanout --out y",
                "sweep --set A=1 --out x -- fanout",
                "sweep --set A=1 --platform \"'\" --out x -- fanout",
                "sweep --option window=1 --repeats 0 --out x -- fanout",
                "sweep --option window=1 --run-timeout 0 --out x -- fanout",
                "sweep --option window=1 --ready nothing --out x -- fanout",
                "compare --out x -- fanout",
                "compare --server confab --out x -- fanout",
                "compare --server nats=ws://h:1 --server nats=ws://h:2 --out x -- fanout",
                "compare --server nats=ws://h:1 --out x -- fanout --url ws://h:1",
                "compare --server nats=ws://h:1 --start b=x --out x -- fanout",
                "compare --server confab:telepathy=ws://h:1 --out x -- fanout"
            })
    void wrongUsageExitsWith2AndOneLine(String arguments) {
        assertThat(run(arguments.replace("--out x", "--out " + folder.resolve("x"))))
                .isEqualTo(2);
        assertThat(err.toString().lines()).singleElement().asString().startsWith("load: ");
    }

    /** @param parts split as a shell would; {@code --client} takes the next part whole */
    private int run(String... parts) {
        List<String> words = new ArrayList<>();
        for (String part : parts) {
            if (!words.isEmpty() && words.getLast().equals("--client")) words.add(part);
            else words.addAll(CommandWords.split(part));
        }
        CommandLine command = LoadClient.commandLine();
        command.setOut(new PrintWriter(out, true));
        command.setErr(new PrintWriter(err, true));
        return command.execute(words.toArray(String[]::new));
    }
}
