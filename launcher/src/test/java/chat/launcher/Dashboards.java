package chat.launcher;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Reads the dashboards in {@code infra/grafana/dashboards}. */
final class Dashboards {
    static final Path DIRECTORY = TestPlaces.root().resolve("infra/grafana/dashboards");
    private static final JsonMapper JSON = JsonMapper.builder().build();

    /** A panel with queries; rows are not panels. */
    record Panel(String title, JsonNode json) {
        List<String> queries() {
            return array(json.get("targets"))
                    .map(target -> target.path("expr").asString())
                    .toList();
        }
    }

    record Dashboard(String file, JsonNode json) {
        List<Panel> panels() {
            List<Panel> found = new ArrayList<>();
            collect(json, found);
            return found;
        }

        private static void collect(JsonNode parent, List<Panel> found) {
            array(parent.get("panels")).forEach(panel -> {
                if (!panel.path("type").asString().equals("row"))
                    found.add(new Panel(panel.path("title").asString(), panel));
                collect(panel, found);
            });
        }

        /** Returns the queries of the variables, such as {@code label_values(METRIC, label)}. */
        List<String> variableQueries() {
            return array(json.path("templating").get("list"))
                    .filter(variable -> variable.path("type").asString().equals("query"))
                    .map(variable -> variable.path("definition").asString())
                    .toList();
        }
    }

    private Dashboards() {}

    static List<Dashboard> all() {
        try (Stream<Path> files = Files.list(DIRECTORY)) {
            return files.filter(file -> file.toString().endsWith(".json"))
                    .sorted()
                    .map(Dashboards::read)
                    .toList();
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    /** Returns all queries with Grafana's variables replaced, without those of the variables themselves. */
    static List<String> queries() {
        return all().stream()
                .flatMap(dashboard -> dashboard.panels().stream())
                .flatMap(panel -> panel.queries().stream())
                .map(Dashboards::filledIn)
                .toList();
    }

    /** Replaces Grafana's variables as if "All" were selected. */
    private static String filledIn(String query) {
        return query.replace("$__rate_interval", "1m").replace("$__range", "1h").replaceAll("\\$\\w+", ".*");
    }

    private static Dashboard read(Path file) {
        try {
            return new Dashboard(file.getFileName().toString(), JSON.readTree(Files.readString(file)));
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    private static Stream<JsonNode> array(@Nullable JsonNode node) {
        return node == null ? Stream.empty() : node.valueStream();
    }
}
