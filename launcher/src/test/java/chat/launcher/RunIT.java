package chat.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import chat.launcher.chaos.LoadRun;
import chat.nodes.Ports;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Runs the jar of {@code ./run} as a process: chat, stop, restart. */
class RunIT {
    private static final Path JAR = TestPlaces.root().resolve("launcher/target/program/confab.jar");
    private static final String JAVA =
            Path.of(System.getProperty("java.home"), "bin", "java").toString();
    private static final Pattern ROOM = Pattern.compile("fanout (r[a-z0-9]+):");

    private final HttpClient http = HttpClient.newHttpClient();
    private final int port = Ports.free();
    private final List<Process> started = new ArrayList<>();

    @TempDir
    Path directory;

    @AfterEach
    void stopWhatIsLeft() throws InterruptedException {
        for (Process process : started) {
            process.destroy();
            if (!process.waitFor(60, TimeUnit.SECONDS)) process.destroyForcibly();
        }
    }

    /** The programs inherit the scheduling policy of {@code ./run}. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void scriptSetsTheBatchSchedulingPolicy() throws Exception {
        Process script = new ProcessBuilder("bash", "-c", "root=.; . tools/lib.sh; take_turns; exec chrt -p $$")
                .directory(TestPlaces.root().toFile())
                .redirectErrorStream(true)
                .start();
        String policy = new String(script.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(policy).contains("SCHED_BATCH");
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void scriptRaisesTheFileLimitAndWarnsIfItIsTooLow() throws Exception {
        Process script = new ProcessBuilder(
                        "bash",
                        "-c",
                        "ulimit -Sn 100; ulimit -Hn 300; root=.; . tools/lib.sh; raise_open_files 300; ulimit -Sn;"
                                + " raise_open_files 301")
                .directory(TestPlaces.root().toFile())
                .redirectErrorStream(true)
                .start();
        String said = new String(script.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(said.lines()).hasSize(2).startsWith("300").last().asString().contains("is 300", "needs 301");
    }

    @Test
    void historySurvivesAStopAndAKill() throws Exception {
        Process first = run();
        String room = chat();
        first.destroy();
        assertThat(first.waitFor(3, TimeUnit.MINUTES)).isTrue();
        assertThat(output()).contains("Stopped");

        Process second = run();
        assertThat(stored(room)).isEqualTo(100 + 2 * 5); // TEXTs, and a JOIN and a LEAVE of each
        String another = chat();
        second.destroyForcibly().waitFor();

        run();
        assertThat(stored(another)).isGreaterThanOrEqualTo(100);
        chat();
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void directoryWithBlanksAndUmlautsWorksUnderTheCLocale() throws Exception {
        // The shell creates the name, because a test JVM under the C locale cannot.
        String script = "export LC_ALL=C; dir=\"$1\"/$'Gespr\\303\\244che am Abend'; root=.; . tools/lib.sh;"
                + " exec \"$2\" -jar \"$3\" --port=\"$4\" --dir=\"$dir\"";
        Process process = start(List.of(
                "bash", "-c", script, "run", directory.toString(), JAVA, JAR.toString(), Integer.toString(port)));
        awaitHealth(process);
        String room = chat();
        assertThat(stored(room)).isEqualTo(100 + 2 * 5); // TEXTs, and a JOIN and a LEAVE of each
    }

    @Test
    void portInUseIsReported() throws Exception {
        run();
        Path other = Files.createDirectory(directory.resolve("other"));
        Process second = start("--port=" + port, "--dir=" + other);
        assertThat(second.waitFor(3, TimeUnit.MINUTES)).isTrue();
        assertThat(second.exitValue()).isEqualTo(1);
        assertThat(output()).contains("port " + port + " is in use");
    }

    @Test
    void wrongArgumentsAreReported() throws Exception {
        Process wrong = start("--servers=none");
        assertThat(wrong.waitFor(3, TimeUnit.MINUTES)).isTrue();
        assertThat(wrong.exitValue()).isEqualTo(2);
        assertThat(output()).contains("--servers").contains("none");
    }

    @Test
    void evenNumberOfBrokersIsRejectedWithTheReason() throws Exception {
        Process wrong = start("--servers=2", "--brokers=2", "--open");
        assertThat(wrong.waitFor(3, TimeUnit.MINUTES)).isTrue();
        assertThat(wrong.exitValue()).isEqualTo(2);
        assertThat(output()).contains("--brokers must be 1, 3, 5 or 7, not 2").contains("majority");
    }

    /** Releases contain these jars, which the scripts run unpacked. */
    @ParameterizedTest
    @CsvSource({
        "chat-server/target/chat-server.jar, mode is not set: set CHAT_IDENTITY",
        "persistence-consumer/target/persistence-consumer.jar, mode is not set: set CHAT_IDENTITY",
        "launcher/target/confab.jar, Usage: run"
    })
    void jarOfAReleaseStartsByItself(String jar, String printed) throws Exception {
        Process process = start(List.of(JAVA, "-jar", jar, "--help"));
        assertThat(process.waitFor(3, TimeUnit.MINUTES)).isTrue();
        assertThat(output()).contains(printed);
    }

    @Test
    void serversRequireTokensOrOpen() throws Exception {
        Process untold = start("--servers=1", "--dir=" + directory);
        assertThat(untold.waitFor(3, TimeUnit.MINUTES)).isTrue();
        assertThat(untold.exitValue()).isEqualTo(2);
        assertThat(output()).contains("--open").contains("--tokens");
    }

    @Test
    void tokensAreRequiredWithTheOption() throws Exception {
        run("--tokens");
        assertThat(output()).contains("./token --user 42 --rooms 'lobby,team-*' --dir " + directory + " prints one");
        assertThat(get("/api/rooms/lobby/messages").statusCode()).isEqualTo(401);
        assertThat(get("/api/rooms/lobby/messages", token("--user=42", "--rooms=lobby,team-*"))
                        .statusCode())
                .isEqualTo(200);
        assertThat(get("/api/rooms/other/messages", token("--user=42", "--rooms=lobby,team-*"))
                        .statusCode())
                .isEqualTo(403);
        assertThat(get("/api/metrics", token("--user=1", "--roles=analyst", "--ttl=1m"))
                        .statusCode())
                .isEqualTo(200);
        assertThat(get("/").statusCode()).isEqualTo(200);
        assertThat(Files.getPosixFilePermissions(directory.resolve("identity/signing-key.pem")))
                .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    }

    /** Returns the output of ./token. */
    private String token(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(JAVA, "-jar", JAR.toString(), "token", "--dir=" + directory));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).start();
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).isZero();
        return printed.strip();
    }

    private Process run(String... more) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("--port=" + port, "--dir=" + directory));
        arguments.addAll(List.of(more));
        Process process = start(arguments.toArray(String[]::new));
        awaitHealth(process);
        return process;
    }

    private void awaitHealth(Process process) throws IOException {
        await().atMost(Duration.ofMinutes(4)).until(() -> !process.isAlive() || isUp());
        assertThat(process.isAlive()).as(output()).isTrue();
    }

    private Process start(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(JAVA, "-jar", JAR.toString()));
        command.addAll(List.of(arguments));
        return start(command);
    }

    private Process start(List<String> command) throws IOException {
        Process process = new ProcessBuilder(command)
                .directory(TestPlaces.root().toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()))
                .start();
        started.add(process);
        return process;
    }

    private Path log() {
        return directory.resolve("run.log");
    }

    private String output() throws IOException {
        return Files.readString(log());
    }

    /** Five users send twenty messages each; returns the room. */
    private String chat() throws Exception {
        LoadRun run =
                TestPlaces.load(directory, "--rooms=1", "--users=5", "--messages=20", "--url=ws://127.0.0.1:" + port);
        int result = run.result(TestPlaces.LIMIT);
        assertThat(result).as(run.output()).isZero();
        Matcher room = ROOM.matcher(run.output());
        assertThat(room.find()).as(run.output()).isTrue();
        return room.group(1) + "-0";
    }

    private boolean isUp() throws InterruptedException {
        try {
            return get("/health").statusCode() == 200;
        } catch (IOException notYet) {
            return false;
        }
    }

    private int stored(String room) throws Exception {
        String messages = get("/api/rooms/" + room + "/messages?limit=1000").body();
        return messages.split("\"messageId\"", -1).length - 1;
    }

    private HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return http.send(request(path).build(), HttpResponse.BodyHandlers.ofString());
    }

    /** Retries, as clients do, if the database of a busy machine does not respond in time. */
    private HttpResponse<String> get(String path, String token) {
        HttpRequest request =
                request(path).header("Authorization", "Bearer " + token).build();
        return await().atMost(Duration.ofSeconds(30))
                .until(
                        () -> http.send(request, HttpResponse.BodyHandlers.ofString()),
                        answer -> answer.statusCode() != 503);
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .timeout(Duration.ofSeconds(30));
    }
}
