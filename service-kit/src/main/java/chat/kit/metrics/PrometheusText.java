package chat.kit.metrics;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Parses Prometheus's text format: {@code name{label="value"} number [timestamp]}, one line per value.
 *
 * @see <a href="https://prometheus.io/docs/instrumenting/exposition_formats/">exposition formats</a>
 */
public final class PrometheusText {
    private PrometheusText() {}

    /** One value, with unescaped labels. */
    public record Value(String name, Map<String, String> labels, double value) {}

    /** @param wanted selects names; other lines are cheap, and unreadable lines are skipped */
    public static void read(byte[] text, Predicate<String> wanted, Consumer<Value> each) {
        int from = 0;
        while (from < text.length) {
            int end = from;
            while (end < text.length && text[end] != '\n') end++;
            if (text[from] != '#') line(text, from, end, wanted, each);
            from = end + 1;
        }
    }

    private static void line(byte[] text, int from, int end, Predicate<String> wanted, Consumer<Value> each) {
        int nameEnd = from;
        while (nameEnd < end && text[nameEnd] != '{' && text[nameEnd] != ' ' && text[nameEnd] != '\t') nameEnd++;
        String name = new String(text, from, nameEnd - from, StandardCharsets.UTF_8);
        if (!wanted.test(name)) return;
        try {
            each.accept(new Line(new String(text, nameEnd, end - nameEnd, StandardCharsets.UTF_8)).value(name));
        } catch (IndexOutOfBoundsException | NumberFormatException malformed) {
            // Skip this value; the others may be valid.
        }
    }

    /**
     * Parses a number of the format, also the bound of a histogram's bucket.
     *
     * @throws NumberFormatException if it is not a number
     */
    public static double number(String text) {
        return switch (text) {
            case "+Inf", "Inf" -> Double.POSITIVE_INFINITY;
            case "-Inf" -> Double.NEGATIVE_INFINITY;
            default -> Double.parseDouble(text);
        };
    }

    /** Parses the rest of a line after the name. */
    private static final class Line {
        private final String line;
        private int at;

        Line(String line) {
            this.line = line;
        }

        Value value(String name) {
            Map<String, String> labels = line.startsWith("{") ? labels() : Map.of();
            skipSpace();
            int end = at;
            while (end < line.length() && line.charAt(end) != ' ' && line.charAt(end) != '\t') end++;
            return new Value(name, labels, number(line.substring(at, end).strip()));
        }

        private Map<String, String> labels() {
            Map<String, String> labels = new LinkedHashMap<>();
            at++;
            while (true) {
                while (line.charAt(at) == ',' || line.charAt(at) == ' ') at++;
                if (line.charAt(at) == '}') break;
                int nameEnd = line.indexOf('=', at);
                String name = line.substring(at, nameEnd).strip();
                at = line.indexOf('"', nameEnd) + 1;
                labels.put(name, quoted());
            }
            at++;
            return labels;
        }

        private String quoted() {
            StringBuilder value = new StringBuilder();
            while (line.charAt(at) != '"') {
                char c = line.charAt(at++);
                if (c != '\\') {
                    value.append(c);
                    continue;
                }
                char escaped = line.charAt(at++);
                value.append(escaped == 'n' ? '\n' : escaped);
            }
            at++;
            return value.toString();
        }

        private void skipSpace() {
            while (line.charAt(at) == ' ' || line.charAt(at) == '\t') at++;
        }
    }
}
