package chat.load.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import tools.jackson.databind.JsonNode;

/** Shortens the platform's metrics to one line per result, whatever results a server has. */
final class MetricsText {
    /** Of a list; metrics.json has all of them. */
    private static final int ENTRIES = 3;

    /** Of an entry that is shown. Longer ones, such as messages, are only counted. */
    private static final int FIELDS = 5;

    /** Integers of at least this value are milliseconds since 1970. */
    private static final long FIRST_TIME = 1_000_000_000_000L;

    /** Ranges and ages of results. */
    private static final Set<String> TIMES = Set.of("asOf", "ageMillis", "from", "to", "start");

    private MetricsText() {}

    /** @param width longer lines are cut */
    static List<String> lines(JsonNode metrics, int width) {
        List<String> lines = new ArrayList<>();
        add("", metrics, lines);
        return lines.stream()
                .map(line -> line.length() <= width ? line : line.substring(0, width - 1) + "…")
                .toList();
    }

    private static void add(String name, JsonNode node, List<String> lines) {
        StringJoiner values = new StringJoiner("  ");
        List<Map.Entry<String, JsonNode>> inner = new ArrayList<>();
        for (Map.Entry<String, JsonNode> property : node.properties()) {
            JsonNode value = property.getValue();
            if (value.isObject()) inner.add(property);
            else if (isShown(property)) values.add(property.getKey() + ' ' + text(value));
        }
        if (values.length() > 0) lines.add(name.isEmpty() ? values.toString() : name + ": " + values);
        for (Map.Entry<String, JsonNode> property : inner)
            add(name.isEmpty() ? property.getKey() : name + '.' + property.getKey(), property.getValue(), lines);
    }

    private static boolean isShown(Map.Entry<String, JsonNode> property) {
        JsonNode value = property.getValue();
        return !value.isNull()
                && !TIMES.contains(property.getKey())
                && !(value.isIntegralNumber() && value.asLong() >= FIRST_TIME)
                && !(value.isArray() && value.path(0).isArray());
    }

    private static String text(JsonNode value) {
        if (value.isIntegralNumber()) return String.format(Locale.ROOT, "%,d", value.asLong());
        if (value.isNumber()) return String.format(Locale.ROOT, "%,.2f", value.asDouble());
        if (!value.isArray()) return value.asString();
        if (value.path(0).size() > FIELDS) return Integer.toString(value.size());
        StringJoiner entries = new StringJoiner(", ", "[", value.size() > ENTRIES ? ", …]" : "]");
        for (int i = 0; i < Math.min(ENTRIES, value.size()); i++) entries.add(entry(value.get(i)));
        return value.size() + " " + entries;
    }

    private static String entry(JsonNode entry) {
        if (!entry.isObject()) return text(entry);
        StringJoiner values = new StringJoiner(" ");
        for (Map.Entry<String, JsonNode> property : entry.properties())
            if (isShown(property) && !property.getValue().isContainer()) values.add(text(property.getValue()));
        return values.toString();
    }
}
