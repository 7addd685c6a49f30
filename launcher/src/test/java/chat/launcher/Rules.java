package chat.launcher;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.Yaml;

/** Reads the rules in {@code infra/prometheus/rules}. */
final class Rules {
    static final Path DIRECTORY = TestPlaces.root().resolve("infra/prometheus");

    /**
     * @param name name of the alert or of the recorded series
     * @param labels labels; they and annotations are empty for a recording rule
     */
    record Rule(
            String name,
            boolean isAlert,
            String expression,
            Map<String, String> labels,
            Map<String, String> annotations) {}

    private Rules() {}

    static List<Rule> all() {
        return Stream.of("recording.yml", "alerts.yml")
                .flatMap(file -> in(DIRECTORY.resolve("rules").resolve(file)))
                .toList();
    }

    static List<Rule> alerts() {
        return all().stream().filter(Rule::isAlert).toList();
    }

    private static Stream<Rule> in(Path file) {
        return maps(yaml(file).get("groups"))
                .flatMap(group -> maps(group.get("rules")))
                .map(Rules::rule);
    }

    private static Rule rule(Map<String, Object> rule) {
        boolean alert = rule.containsKey("alert");
        return new Rule(
                String.valueOf(rule.get(alert ? "alert" : "record")),
                alert,
                String.valueOf(rule.get("expr")),
                texts(rule.get("labels")),
                texts(rule.get("annotations")));
    }

    static Map<String, Object> yaml(Path file) {
        try {
            return new Yaml().load(Files.readString(file));
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    @SuppressWarnings("unchecked") // what a YAML list of objects is
    static Stream<Map<String, Object>> maps(@Nullable Object list) {
        return list == null ? Stream.empty() : ((List<Map<String, Object>>) list).stream();
    }

    @SuppressWarnings("unchecked") // what a YAML object with texts is
    private static Map<String, String> texts(@Nullable Object map) {
        return map == null ? Map.of() : (Map<String, String>) map;
    }
}
