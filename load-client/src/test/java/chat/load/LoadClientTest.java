package chat.load;

import static org.assertj.core.api.Assertions.assertThat;

import chat.load.driver.FakeChat;
import chat.load.driver.FakeChat.Faults;
import chat.load.lab.child.LoadClientCommand;
import chat.load.run.ExitCodes;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The command as one types it: what it prints, and its exit code. */
@Timeout(240)
class LoadClientTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void aGoodRunExitsWith0AndWritesItsSummary(@TempDir Path folder) throws IOException {
        try (FakeChat chat = new FakeChat(2, new Faults())) {
            int exit = fanout(chat, "--placement", "room", "--window", "2", "--seed", "7", "--out", folder.toString());
            assertThat(exit).as(out.toString() + err).isZero();
        }
        assertThat(out.toString())
                .contains("2 rooms x 3 users x 4 messages = 24 TEXTs", "shares this machine's cores", "p99", "seed 7")
                .contains(
                        "messages     36  successful 36  failed 0  in ",
                        "TEXT 24 (66.7 %)  JOIN 6 (16.7 %)  LEAVE 6 (16.7 %)",
                        "connections  6 opened  0 reconnections  0 failed",
                        "expected 72  received 72  missing 0  duplicate 0  out of order 0",
                        "PASS  accepted is stored")
                .doesNotContain("FAIL");
        JsonNode summary = JsonMapper.shared().readTree(Files.readAllBytes(folder.resolve("summary.json")));
        assertThat(summary.path("passed").asBoolean()).isTrue();
        assertThat(summary.path("verdict").path("accepted").asInt()).isEqualTo(24);
        assertThat(summary.path("plan").path("placement").asString()).isEqualTo("room");
        assertThat(summary.path("latencyMillis")
                        .path("frame to ACK")
                        .path("count")
                        .asInt())
                .isEqualTo(24);
    }

    @Test
    void aBrokenPromiseExitsWith1AndSaysWhich() {
        Faults faults = new Faults();
        faults.loseRow = 5;
        try (FakeChat chat = new FakeChat(1, faults)) {
            assertThat(fanout(chat)).isEqualTo(1);
        }
        assertThat(out.toString()).contains("FAIL  accepted is stored: 1", "was accepted and is not stored");
    }

    @Test
    void controlCharactersArePrintedAsQuestionMarks() throws Exception {
        List<String> command = new ArrayList<>(LoadClientCommand.own(LoadClient.class));
        command.addAll(List.of("fanout", "--url", "ws://127.0.0.1:1", "--x\u001b[2J\u0007y"));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(printed).isEqualTo(ExitCodes.UNUSABLE);
        assertThat(printed).contains("x?[2J?y");
        assertThat(printed.chars().filter(Character::isISOControl)).containsOnly((int) '\n');
    }

    @Test
    void aServerThatKeepsAConnectionExitsWith1() throws IOException {
        AtomicInteger looks = new AtomicInteger();
        HttpServer metrics = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        metrics.createContext("/", exchange -> {
            byte[] told =
                    String.format(Locale.ROOT, """
                    chat_connections 1.0
                    chat_connections_kernel 0.0
                    chat_sessions_phantom 0.0
                    chat_sessions_audits_total %d.0
                    """, looks.incrementAndGet()).getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, told.length);
            exchange.getResponseBody().write(told);
            exchange.close();
        });
        metrics.start();
        try (FakeChat chat = new FakeChat(1, new Faults())) {
            String url = "chat-1=http://127.0.0.1:" + metrics.getAddress().getPort();
            // Long enough for metrics to be asked before it is over.
            assertThat(fanout(chat, "--metrics-url", url, "--rate", "10")).isEqualTo(1);
        } finally {
            metrics.stop(0);
        }
        assertThat(out.toString())
                .contains(
                        "FAIL  servers hold the connections that the operating system has: 1",
                        "chat-1 holds 1 connections, the operating system has 0",
                        "PASS  servers hold no phantom session");
    }

    @Test
    void storageMayBeLeftUnchecked() {
        Faults faults = new Faults();
        faults.loseRow = 5;
        try (FakeChat chat = new FakeChat(1, faults)) {
            assertThat(fanout(chat, "--history-url", "none")).isZero();
        }
        assertThat(out.toString()).contains("accepted is stored: not checked");
    }

    @Test
    void unreachableServerExitsWith2AndOneLine() throws IOException {
        assertThat(run("fanout", "--url", "ws://127.0.0.1:" + freePort())).isEqualTo(2);
        assertThat(err.toString().lines()).singleElement().asString().contains("no chat server can be reached");
    }

    @Test
    void noHistoryExitsWith2AndOneLine() throws IOException {
        try (FakeChat chat = new FakeChat(1, new Faults())) {
            assertThat(fanout(chat, "--history-url", "http://127.0.0.1:" + freePort()))
                    .isEqualTo(2);
        }
        assertThat(err.toString().lines()).singleElement().asString().contains("cannot be read back", "--history-url");
    }

    @Test
    void aServerThatIsNoChatServerExitsWith2() {
        Faults faults = new Faults();
        faults.upgradeStatus = 403;
        try (FakeChat chat = new FakeChat(1, faults)) {
            assertThat(fanout(chat)).isEqualTo(2);
        }
        assertThat(err.toString()).contains("no member could join", "403");
    }

    @Test
    void oneOfTwoServersIsEnough() throws IOException {
        try (FakeChat chat = new FakeChat(1, new Faults())) {
            assertThat(fanout(chat, "--url", "ws://127.0.0.1:" + freePort())).isZero();
        }
        assertThat(err.toString()).contains("warning: cannot reach");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "nonsense",
                "fanout",
                "fanout --url http://127.0.0.1:1",
                "fanout --url ws://127.0.0.1:1?x=y",
                "fanout --url nothing",
                "fanout --url ws://127.0.0.1:1 --rooms 0",
                "fanout --url ws://127.0.0.1:1 --rooms many",
                "fanout --url ws://127.0.0.1:1 --payload 501",
                "fanout --url ws://127.0.0.1:1 --window 0",
                "fanout --url ws://127.0.0.1:1 --placement beside",
                "fanout --url ws://127.0.0.1:1 --threads 0",
                "fanout --url ws://127.0.0.1:1 --timeout 0",
                "fanout --url ws://127.0.0.1:1 --history-url ftp://x",
                "fanout --url ws://127.0.0.1:1 --rooms 100000 --users 100000"
            })
    void wrongUsageExitsWith2AndOneLine(String arguments) {
        assertThat(run(arguments.split(" "))).isEqualTo(2);
        assertThat(err.toString().lines()).singleElement().asString().startsWith("load: ");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--duration soon",
                "--duration 0",
                "--stages 30s",
                "--stages 30s:10,soon:5",
                "--warm-up some",
                "--warm-up 0x10",
                "--warm-up 999999x999999999",
                "--window 2 --rate 5 --duration 5s",
                "--rate 0 --duration 5s",
                "--rate many",
                "--share 2",
                "--limit 0 --duration 5s",
                "--limit 5",
                "--limit 5 --burst -1 --duration 5s",
                "--turnover 2",
                "--duplicate-rate 101%",
                "--duplicate-rate ten",
                "--texts -1",
                "--retries -1",
                "--rooms 4 --rooms-per-client 3",
                "--rooms-per-client 129",
                "--users 0",
                "--connect-rate 0",
                "--visitors 5",
                "--visitors 5 --stay 0 --duration 1s",
                "--silent 1 --slow-readers 1",
                "--silent 1 --within 0",
                "--silent 1 --stages 1s:5",
                "--driver irc",
                "--seed now",
                "--csv",
                "--out",
                "--metrics-url here",
                "--postgres-url here"
            })
    void contradictoryOptionsExitWith2AndOneLine(String options) {
        wrongUsageExitsWith2AndOneLine("fanout --url ws://127.0.0.1:1 " + options);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--rooms 0",
                "--users many",
                "--messages 0",
                "--payload 501",
                "--payload 0",
                "--rounds 0",
                "--frames 0",
                "--frames 1,x",
                "--url ws://127.0.0.1:1"
            })
    void contradictoryOptionsOfSelfExitWith2AndOneLine(String options) {
        wrongUsageExitsWith2AndOneLine("self " + options);
    }

    @ParameterizedTest
    @ValueSource(strings = {"contract --driver nats", "smoke --driver socketio", "capacity --driver centrifugo"})
    void unsupportedFeatureExitsWith2BeforeTheRun(String arguments) {
        assertThat(run((arguments + " --url ws://127.0.0.1:1").split(" "))).isEqualTo(2);
        assertThat(err.toString().lines()).singleElement().asString().contains("not supported by this server (");
    }

    @Test
    void aLimitIsNotSupportedByAServerThatAnnouncesNone() {
        try (FakeChat chat = new FakeChat(1, new Faults())) {
            assertThat(run("rate", "--url", chat.urls().getFirst().toString())).isEqualTo(2);
        }
        assertThat(err.toString().lines())
                .singleElement()
                .asString()
                .startsWith("load: rate: not supported by this server");
    }

    @Test
    void aServerThatNobodyCanJoinIsNotTakenForOneWithoutALimit() {
        Faults faults = new Faults();
        faults.upgradeStatus = 403;
        try (FakeChat chat = new FakeChat(1, faults)) {
            String url = chat.urls().getFirst().toString();
            assertThat(run("rate", "--history-url", "none", "--url", url)).isEqualTo(2);
        }
        assertThat(err.toString().lines()).singleElement().asString().contains("no member could join", "403");
    }

    @Test
    void anAnnouncedLimitIsTriedWithTwiceAsMuch() {
        Faults faults = new Faults();
        faults.limitPerSecond = 400;
        try (FakeChat chat = new FakeChat(1, faults)) {
            String url = chat.urls().getFirst().toString();
            // Whether just the limit was let through in so short a time is up to the machine.
            assertThat(run("rate", "--duration", "500ms", "--url", url)).isLessThan(2);
        }
        assertThat(out.toString()).contains("rate 800/s", "400/s were let through", "every TEXT was accepted");
    }

    @Test
    void aWindowAgainstAnAnnouncedLimitIsAClosedLoop() {
        Faults faults = new Faults();
        faults.limitPerSecond = 400;
        try (FakeChat chat = new FakeChat(1, faults)) {
            String url = chat.urls().getFirst().toString();
            assertThat(run("rate", "--window", "2", "--messages", "10", "--duration", "100ms", "--url", url))
                    .isLessThan(2);
        }
        assertThat(out.toString()).contains("window 2").doesNotContain("rate 800/s");
    }

    @Test
    void everyTextHasItsLine(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("messages.csv");
        try (FakeChat chat = new FakeChat(1, new Faults())) {
            assertThat(fanout(chat, "--csv", file.toString())).isZero();
        }
        List<String> lines = Files.readAllLines(file);
        assertThat(lines.getFirst()).isEqualTo("timestamp,messageType,latency,statusCode,roomId");
        assertThat(lines)
                .filteredOn(line -> line.contains(",TEXT,"))
                .hasSize(24)
                .allMatch(line -> line.matches("20[^,]+Z,TEXT,\\d+\\.\\d{3},200,r[0-9a-z]+-[01]"));
        for (String type : List.of("JOIN", "LEAVE"))
            assertThat(lines)
                    .filteredOn(line -> line.contains("," + type + ","))
                    .hasSize(6);
        assertThat(lines).hasSize(1 + 24 + 6 + 6);
    }

    @Test
    void theContractIs90To5To5InRoomsThatHoldEarlierRuns(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("messages.csv");
        try (FakeChat chat = new FakeChat(1, new Faults())) {
            String url = chat.urls().getFirst().toString();
            String options = "contract --rooms 3 --users 2 --messages 36 --warm-up 4x3 --csv " + file + " --url " + url;
            assertThat(run(options.split(" "))).as(out.toString() + err).isZero();
            assertThat(run(options.split(" "))).as(out.toString() + err).isZero();
        }
        assertThat(out.toString())
                .contains("3 rooms x 2 users x 36 messages = 216 TEXTs", "texts 50")
                .contains("warm-up      1 round  4 connections  12 of 12 accepted")
                .contains("messages     240  successful 240  failed 0")
                .contains("TEXT 216 (90.0 %)  JOIN 12 (5.0 %)  LEAVE 12 (5.0 %)");
        assertThat(Files.readAllLines(file)).hasSize(1 + 240).allMatch(line -> line.matches(".*,(roomId|[123])"));
    }

    @Test
    void aSuiteRunsAllItsScenariosAndNamesTheOneThatFailed(@TempDir Path folder) {
        Faults faults = new Faults();
        faults.loseRow = 1;
        try (FakeChat chat = new FakeChat(1, faults)) {
            String suite = "suite --url " + chat.urls().getFirst() + " --out " + folder
                    + " -- --rooms 1 --rooms-per-client 1 --stages 300ms:2,300ms:0 --rate 50";
            assertThat(run(suite.split(" "))).as(out.toString() + err).isEqualTo(1);
        }
        assertThat(out.toString()).endsWith("smoke      FAIL\nspike      PASS\ncapacity   PASS\n");
        assertThat(folder.resolve("spike/report.html")).exists();
    }

    @Test
    void aSuiteStopsWhenNoServerCanBeReached() throws IOException {
        assertThat(run("suite", "--url", "ws://127.0.0.1:" + freePort())).isEqualTo(2);
        assertThat(err.toString().lines()).singleElement().asString().contains("no chat server can be reached");
        assertThat(out.toString()).endsWith("smoke      not judged\n");
    }

    @Test
    void aFileThatCannotBeWrittenExitsWith2(@TempDir Path folder) {
        try (FakeChat chat = new FakeChat(1, new Faults())) {
            assertThat(fanout(chat, "--csv", folder.resolve("none/messages.csv").toString()))
                    .isEqualTo(2);
        }
        assertThat(err.toString().lines()).singleElement().asString().contains("cannot write", "messages.csv");
    }

    @Test
    void aWarmUpIsReportedApartAndItsFolderHasAPageToLookAt(@TempDir Path folder) throws IOException {
        try (FakeChat chat = new FakeChat(1, new Faults())) {
            int exit = run(
                    "baseline",
                    "--rooms",
                    "2",
                    "--users",
                    "2",
                    "--messages",
                    "5",
                    "--warm-up",
                    "4x3",
                    "--out",
                    folder.toString(),
                    "--url",
                    chat.urls().getFirst().toString());
            assertThat(exit).as(out.toString() + err).isZero();
        }
        assertThat(out.toString())
                .contains("warm-up      1 round  4 connections  12 of 12 accepted", "20 TEXTs", "written: ");
        JsonNode summary = JsonMapper.shared().readTree(Files.readAllBytes(folder.resolve("summary.json")));
        assertThat(summary.path("warmUp").path("connections").asInt()).isEqualTo(4);
        assertThat(summary.path("warmUp").path("accepted").asInt()).isEqualTo(12);
        assertThat(summary.path("verdict").path("invoked").asInt()).isEqualTo(20);
        assertThat(summary.path("latencyMillis")
                        .path("frame to ACK")
                        .path("count")
                        .asInt())
                .isEqualTo(20);
        assertThat(folder.resolve("report.html")).content().startsWith("<!doctype html>");
    }

    static Stream<String> subcommands() {
        return LoadClient.commandLine().getSubcommands().keySet().stream();
    }

    @ParameterizedTest
    @MethodSource("subcommands")
    void everyCommandHasItsHelp(String command) {
        PrintStream before = System.err;
        ByteArrayOutputStream warnings = new ByteArrayOutputStream();
        System.setErr(new PrintStream(warnings, true, StandardCharsets.UTF_8));
        try {
            assertThat(run(command, "--help")).isZero();
        } finally {
            System.setErr(before);
        }
        // Only its own: the JVM may have something to say, too.
        assertThat(warnings.toString(StandardCharsets.UTF_8)).doesNotContain("picocli");
        assertThat(err.toString()).isEmpty();
        assertThat(out.toString())
                .startsWith("Usage: load " + command + " ")
                .contains(commonOptions(command))
                .doesNotContain("null", "%n", "%%", "${", "[ws:");
    }

    private static List<String> commonOptions(String command) {
        return switch (command) {
            case "report" -> List.of("--out", "--help");
            case "self" -> List.of("--rooms", "--users", "--messages", "--payload", "--help");
            case "sweep", "compare" -> List.of("--seed", "--out", "--help");
            case "suite" -> List.of("--url", "--out", "--help");
            case "queries" -> List.of("--url", "--rate", "--duration", "--seed", "--out", "--help");
            default ->
                List.of(
                        "--url",
                        "--rooms",
                        "--users",
                        "--messages",
                        "--window",
                        "--rate",
                        "--payload",
                        "--duration",
                        "--seed",
                        "--out",
                        "--help");
        };
    }

    @Test
    void helpNamesEveryCommandAndTheExitCodes() {
        assertThat(run("--help")).isZero();
        assertThat(out.toString()).contains(subcommands().toList()).contains("Exit codes: 0", "2 wrong usage");
    }

    @Test
    void withoutACommandItSaysSo() {
        assertThat(run()).isEqualTo(2);
        assertThat(err.toString().lines()).singleElement().asString().startsWith("load: ");
    }

    private static List<String> arguments(FakeChat chat) {
        List<String> arguments =
                new ArrayList<>(List.of("fanout", "--rooms", "2", "--users", "3", "--messages", "4", "--timeout", "5"));
        chat.urls().forEach(url -> {
            arguments.add("--url");
            arguments.add(url.toString());
        });
        return arguments;
    }

    private int fanout(FakeChat chat, String... more) {
        List<String> arguments = arguments(chat);
        arguments.addAll(List.of(more));
        return run(arguments.toArray(String[]::new));
    }

    private int run(String... arguments) {
        CommandLine command = LoadClient.commandLine();
        command.setOut(new PrintWriter(out, true));
        command.setErr(new PrintWriter(err, true));
        return command.execute(arguments);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
