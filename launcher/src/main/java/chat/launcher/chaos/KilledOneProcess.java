package chat.launcher.chaos;

import chat.nodes.Ports;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Starts {@code ./run} without options beside the platform, and kills it, which leaves its PostgreSQL running. Started
 * again, it must take over the data.
 */
final class KilledOneProcess implements Fault {
    private static final int ROOMS = 4;
    private static final int USERS = 5;
    private static final int MESSAGES = 20;
    private static final Pattern RUN = Pattern.compile("\"run\"\\s*:\\s*\"([^\"]+)\"");
    private static final Pattern MESSAGE = Pattern.compile("\"messageId\":");

    private final Target target;
    private final Path directory;
    private final int port = Ports.free();
    private final HttpClient http = HttpClient.newHttpClient();
    private final List<String> complaints = new ArrayList<>();

    KilledOneProcess(Target target) {
        this.target = target;
        this.directory = target.logs().resolve("one-process");
    }

    @Override
    public void inject() throws InterruptedException {
        Process first = start();
        int result = load("before");
        if (result != 0) complaints.add("the load before the kill exited with code " + result);
        first.destroyForcibly().waitFor();

        Process second = start();
        int stored = stored();
        if (stored != USERS * MESSAGES)
            complaints.add("the history had " + stored + " messages instead of " + USERS * MESSAGES);
        result = load("after");
        if (result != 0) complaints.add("the load after the restart exited with code " + result);
        second.destroy();
        second.waitFor();
        http.close();
    }

    @Override
    public void heal() {}

    @Override
    public List<String> complaints() {
        return complaints;
    }

    private Process start() throws InterruptedException {
        try {
            Files.createDirectories(directory);
            Process process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-Xmx512m",
                            "--enable-native-access=ALL-UNNAMED",
                            "-jar",
                            target.programs()
                                    .resolve("launcher/target/program/confab.jar")
                                    .toString(),
                            "--port=" + port,
                            "--dir=" + directory)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(
                            directory.resolve("output.log").toFile()))
                    .start();
            Waiting.until("one process", () -> get("/health").contains("\"UP\""));
            return process;
        } catch (IOException failure) {
            throw new ChaosFailure("cannot start one process: " + failure);
        }
    }

    private int load(String name) throws InterruptedException {
        Path log = directory.resolve(name + ".log");
        try (LoadRun run = LoadRun.start(
                target.programs(),
                log,
                "fanout",
                List.of(
                        "--rooms=" + ROOMS,
                        "--users=" + USERS,
                        "--messages=" + MESSAGES,
                        "--out=" + directory.resolve(name),
                        "--url=ws://127.0.0.1:" + port))) {
            return run.result(Waiting.PATIENCE);
        }
    }

    /** Returns the number of TEXTs in the first room of the load before the kill. */
    private int stored() {
        try {
            Matcher run = RUN.matcher(Files.readString(directory.resolve("before/summary.json")));
            if (!run.find()) throw new ChaosFailure("the load against one process has no name");
            String newest =
                    get("/api/rooms/" + run.group(1) + "-0/messages?types=TEXT&limit=1000&before=" + Long.MAX_VALUE);
            return (int) MESSAGE.matcher(newest).results().count();
        } catch (IOException unreadable) {
            throw new ChaosFailure("cannot read the results of the load against one process: " + unreadable);
        }
    }

    /** Returns the body of the response; empty without a response. */
    private String get(String path) {
        try {
            return http.send(
                            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                                    .timeout(Duration.ofSeconds(5))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString())
                    .body();
        } catch (IOException notYet) {
            return "";
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return "";
        }
    }
}
