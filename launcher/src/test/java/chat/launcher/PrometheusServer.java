package chat.launcher;

import static org.awaitility.Awaitility.await;

import chat.nodes.Ports;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Runs Prometheus with the files of {@code infra/prometheus}, but with its own targets and short intervals. */
final class PrometheusServer implements AutoCloseable {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final HttpClient http = HttpClient.newHttpClient();
    private final int port = Ports.free();
    private final Process process;

    /**
     * @param directory an empty directory
     * @param targets ports on 127.0.0.1, by the names of the files in {@code targets}; other files have no targets
     */
    PrometheusServer(Path directory, Map<String, List<Integer>> targets) throws IOException {
        Path rules = Files.createDirectories(directory.resolve("rules"));
        for (Path file : list(Rules.DIRECTORY.resolve("rules"))) Files.copy(file, rules.resolve(file.getFileName()));
        Path places = Files.createDirectories(directory.resolve("targets"));
        for (Path file : list(Rules.DIRECTORY.resolve("targets"))) {
            String name = file.getFileName().toString();
            Files.writeString(places.resolve(name), yaml(targets.getOrDefault(name.replace(".yml", ""), List.of())));
        }
        Path configuration = Files.writeString(
                directory.resolve("prometheus.yml"),
                Files.readString(Rules.DIRECTORY.resolve("prometheus.yml"))
                        .replaceAll("_(interval|timeout): \\d+s", "_$1: 1s")
                        .replace("127.0.0.1:9090", "127.0.0.1:" + port));
        process = new ProcessBuilder(
                        PrometheusPrograms.find("prometheus").toString(),
                        "--config.file=" + configuration,
                        "--storage.tsdb.path=" + directory.resolve("data"),
                        "--web.listen-address=127.0.0.1:" + port)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("log").toFile())
                .start();
    }

    private static List<Path> list(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.toList();
        }
    }

    private static String yaml(List<Integer> ports) {
        return ports.stream()
                .map(each -> "\"127.0.0.1:" + each + "\"")
                .collect(Collectors.joining(", ", "- targets: [", "]\n"));
    }

    void awaitReady() {
        await().atMost(Duration.ofMinutes(2))
                .ignoreExceptions()
                .until(() -> !ask("/api/v1/targets").isMissingNode());
    }

    /** Returns the data of an API response. */
    JsonNode ask(String path) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .timeout(Duration.ofSeconds(10))
                .build();
        JsonNode answer = JSON.readTree(
                http.send(request, HttpResponse.BodyHandlers.ofString()).body());
        if (!answer.path("status").asString().equals("success")) throw new AssertionError(path + ": " + answer);
        return answer.path("data");
    }

    /** Evaluates the expression now; returns one element per series. */
    List<JsonNode> query(String expression) throws IOException, InterruptedException {
        return ask("/api/v1/query?query=" + URLEncoder.encode(expression, StandardCharsets.UTF_8))
                .path("result")
                .valueStream()
                .toList();
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(30, TimeUnit.SECONDS)) process.destroyForcibly();
        } catch (InterruptedException interrupted) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
