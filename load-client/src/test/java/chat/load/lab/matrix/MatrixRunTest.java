package chat.load.lab.matrix;

import static org.assertj.core.api.Assertions.assertThat;

import chat.load.lab.child.FakeClient;
import chat.load.lab.matrix.MatrixPlan.Limits;
import chat.load.lab.matrix.Result.Outcome;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** With a platform and a load client that are fakes, but real child processes. */
@Timeout(240)
class MatrixRunTest {
    private static final Limits LIMITS =
            new Limits(Duration.ofSeconds(30), Duration.ofSeconds(30), Duration.ofSeconds(10));

    @TempDir
    private Path folder;

    private final List<String> said = new ArrayList<>();

    @Test
    void everyRunHasAPlatformOfItsOwn() throws Exception {
        int port = FakePlatform.freePort();
        List<Result> results = run(plan(2, 1, LIMITS, cell("a", port), cell("b", port)));
        assertThat(results).extracting(Result::outcome).containsOnly(Outcome.PASS);
        assertThat(results)
                .extracting(result -> result.run().cell().name())
                .containsExactly("s=a", "s=b", "s=a", "s=b");
        assertThat(journal().stream().map(line -> line.replaceAll(" pid .*", "")))
                .containsExactly(
                        "started a",
                        "stopped a",
                        "started b",
                        "stopped b",
                        "started a",
                        "stopped a",
                        "started b",
                        "stopped b");
        assertNoneLeft();
        Path first = folder.resolve("out/1-s=a");
        assertThat(first.resolve("summary.json")).exists();
        assertThat(first.resolve("warm-up-1/summary.json")).doesNotExist();
        assertThat(first.resolve("warm-up-1/warm-up.json")).exists();
        assertThat(JsonMapper.shared()
                        .readTree(Files.readAllBytes(first.resolve("plan.json")))
                        .path("s")
                        .asString())
                .isEqualTo("a");
        assertThat(first.resolve("client.log")).content().contains("fake client");
        assertThat(first.resolve("data")).doesNotExist();
        assertThat(Files.readAllLines(first.resolve("arguments.txt")))
                .containsExactly(
                        "fanout",
                        "--sends",
                        "10",
                        "--directory",
                        first.resolve("data").toString(),
                        "--out",
                        first.toString());
        assertThat(said)
                .contains("[1/4] s=a, repeat 1")
                .anyMatch(line -> line.contains("PASS  10 msg/s  500 deliveries/s"));
    }

    @Test
    void resultsAreWrittenAsCsvAndJson() throws Exception {
        Cell one = new Cell(
                Map.of("s", "a,b"), List.of("fanout", "--sends", "10", "--lost", "2", "--exit", "1"), null, List.of());
        run(plan(1, 0, LIMITS, one));
        List<String> csv = Files.readAllLines(folder.resolve("out/sweep.csv"));
        assertThat(csv.getFirst())
                .isEqualTo(
                        "run,repeat,s,outcome,exit_code,seconds,sends_per_s,deliveries_per_s,fan_out,frame to ACK mean ms,"
                                + "frame to ACK p50 ms,frame to ACK p99 ms,frame to delivery at others mean ms,"
                                + "frame to delivery at others p50 ms,frame to delivery at others p99 ms,depth_peak,"
                                + "server_cpu_us_per_delivery,lost,doubled,order,other,folder,reason");
        assertThat(csv.get(1))
                .startsWith("1,1,\"a,b\",FAIL,1,")
                .endsWith(
                        "10.000,500.000,50.000,2.000,1.500,3.500,3.000,2.500,4.500,,,2,0,0,0,\"1-s=a,b\",broken: every member received every TEXT");
        JsonNode json = JsonMapper.shared().readTree(Files.readAllBytes(folder.resolve("out/sweep.json")));
        assertThat(json.path("cells")
                        .get(0)
                        .path("rates")
                        .path("sends")
                        .path("median")
                        .asDouble())
                .isEqualTo(10);
        assertThat(json.path("runs").get(0).path("outcome").asString()).isEqualTo("FAIL");
        assertThat(json.path("runs").get(0).path("values").path("s").asString()).isEqualTo("a,b");
    }

    @Test
    void aPlatformThatDoesNotStartEndsNothingButItsRun() throws Exception {
        int port = FakePlatform.freePort();
        List<Result> results = run(plan(1, 0, LIMITS, cell("broken", port), cell("a", port)));
        assertThat(results).extracting(Result::outcome).containsExactly(Outcome.NOT_JUDGED, Outcome.PASS);
        assertThat(results.getFirst().reason()).isEqualTo("the platform ended with code 3: the setting is broken");
        assertNoneLeft();
    }

    @Test
    void aPlatformThatNeverAnswersIsStopped() throws Exception {
        Limits impatient = new Limits(Duration.ofMillis(500), Duration.ofSeconds(30), Duration.ofSeconds(10));
        List<Result> results = run(plan(1, 0, impatient, cell("mute", FakePlatform.freePort())));
        assertThat(results.getFirst().reason()).contains("/health does not answer within 0 s");
        assertNoneLeft();
    }

    @Test
    void foreignServerIsNotMistakenForThePlatform() throws Exception {
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            List<Result> results = run(plan(1, 0, LIMITS, cell("a", other.getLocalPort())));
            assertThat(results.getFirst().reason())
                    .isEqualTo("something listens already at 127.0.0.1:" + other.getLocalPort());
            assertThat(folder.resolve("journal")).doesNotExist();
        }
    }

    @Test
    void aRunThatFailsEndsNothingButItself() throws Exception {
        List<Result> results = run(plan(
                1,
                0,
                LIMITS,
                client("broken", "--lost", "1", "--exit", "1"),
                client("unusable", "--say", "no chat server can be reached", "--exit", "2", "--no-summary"),
                client("crash", "--exit", "0", "--no-summary"),
                client("good", "--exit", "0")));
        assertThat(results)
                .extracting(Result::outcome)
                .containsExactly(Outcome.FAIL, Outcome.NOT_JUDGED, Outcome.NOT_JUDGED, Outcome.PASS);
        assertThat(results.get(1).reason())
                .isEqualTo("exit code 2, no summary: fake client no chat server can be reached");
        assertThat(results.get(2).reason()).startsWith("exit code 0, no summary");
    }

    @Test
    void aRunThatTakesTooLongIsStopped() throws Exception {
        Limits impatient = new Limits(Duration.ofSeconds(30), Duration.ofMillis(500), Duration.ofSeconds(10));
        List<Result> results = run(plan(1, 0, impatient, client("slow", "--forever")));
        assertThat(results.getFirst().outcome()).isEqualTo(Outcome.NOT_JUDGED);
        assertThat(results.getFirst().reason()).isEqualTo("not done within 0 s");
    }

    @Test
    void aServerThatKnowsNoHealthIsReadyWhenItListens() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            URI listens = URI.create("tcp://127.0.0.1:" + silent.getLocalPort());
            Cell cell = new Cell(Map.of("s", "a"), List.of("fanout"), null, List.of(listens));
            assertThat(run(plan(1, 0, LIMITS, cell)))
                    .extracting(Result::outcome)
                    .containsExactly(Outcome.PASS);
        }
    }

    @Test
    void aServerThatRunsAlreadyIsWarmedUpOnce() throws Exception {
        run(plan(2, 1, LIMITS, client("a"), client("b")));
        assertThat(folder.resolve("out/1-s=a/warm-up-1")).exists();
        assertThat(folder.resolve("out/2-s=b/warm-up-1")).exists();
        assertThat(folder.resolve("out/3-s=a/warm-up-1")).doesNotExist();
    }

    @Test
    void aSignalStopsPlatformAndClientAndLeavesWhatIsDone() throws Exception {
        int port = FakePlatform.freePort();
        Path journal = folder.resolve("journal");
        Process parent = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Stopped.class.getName(),
                        folder.toString(),
                        Integer.toString(port)))
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("parent.log").toFile())
                .start();
        try {
            Path working = folder.resolve("out/2-s=forever/client.log");
            // The log has its first line when the client has come to wait for ever.
            while (!Files.exists(working) || Files.size(working) == 0)
                assertThat(parent.waitFor(20, TimeUnit.MILLISECONDS))
                        .as(Files.readString(folder.resolve("parent.log")))
                        .isFalse();
            List<ProcessHandle> family = parent.descendants().toList();
            assertThat(family).hasSize(2);
            parent.destroy();
            assertThat(parent.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(family).noneMatch(ProcessHandle::isAlive);
            assertThat(Files.readAllLines(journal)).last().isEqualTo("stopped forever");
            assertThat(Files.readAllLines(folder.resolve("out/sweep.csv"))).hasSize(2);
        } finally {
            parent.destroyForcibly();
        }
    }

    /** A matrix of two runs, of which the second never ends. */
    static final class Stopped {
        private Stopped() {}

        public static void main(String[] arguments) throws Exception {
            MatrixRunTest test = new MatrixRunTest();
            test.folder = Path.of(arguments[0]);
            int port = Integer.parseInt(arguments[1]);
            test.run(test.plan(1, 0, LIMITS, test.cell("a", port), test.cell("forever", port, "--forever")));
        }
    }

    @Test
    void aDryRunShowsEveryCommandAndStartsNothing() {
        MatrixPlan plan = plan(2, 1, LIMITS, cell("a b", 8081));
        String table = PlanTable.of(plan, List.of("java", "-jar", "load client.jar"));
        assertThat(table)
                .startsWith("sweep: 2 runs, 1 setting x 2 repeats, in turn, one warm-up before; results in ")
                .contains("[2/2] s=a b, repeat 2\n  start  FAKE_SETTING='a b' ", "/1-s=a_b/data ")
                .contains("  await  http://127.0.0.1:8081/health\n")
                .contains("  load   java -jar 'load client.jar' fanout --sends 10 --directory ", " --out ");
        assertThat(folder.resolve("out")).doesNotExist();
    }

    private Cell cell(String value, int port, String... more) {
        List<String> arguments = new ArrayList<>(List.of("fanout", "--sends", "10", "--directory", "{dir}"));
        arguments.addAll(List.of(more));
        return new Cell(
                Map.of("s", value),
                arguments,
                new Platform(FakePlatform.command(port, folder.resolve("journal")), Map.of("FAKE_SETTING", value)),
                List.of(URI.create("http://127.0.0.1:" + port + "/health")));
    }

    private static Cell client(String value, String... more) {
        List<String> arguments = new ArrayList<>(List.of("fanout"));
        arguments.addAll(List.of(more));
        return new Cell(Map.of("s", value), arguments, null, List.of());
    }

    private MatrixPlan plan(int repeats, int warmUps, Limits limits, Cell... cells) {
        return new MatrixPlan(
                "sweep", List.of(cells), repeats, warmUps, false, 0, folder.resolve("out"), limits, false);
    }

    private List<Result> run(MatrixPlan plan) throws IOException, InterruptedException {
        return new MatrixRun(plan, FakeClient.command(), said::add).run();
    }

    private List<String> journal() throws IOException {
        Path journal = folder.resolve("journal");
        return Files.exists(journal) ? Files.readAllLines(journal) : List.of(); // what was stopped early wrote none
    }

    private void assertNoneLeft() throws IOException {
        for (String line : journal()) {
            Matcher pid = Pattern.compile("pid (\\d+)").matcher(line);
            if (pid.find())
                assertThat(ProcessHandle.of(Long.parseLong(pid.group(1))).map(ProcessHandle::isAlive))
                        .as(line)
                        .isNotEqualTo(Optional.of(true));
        }
    }
}
