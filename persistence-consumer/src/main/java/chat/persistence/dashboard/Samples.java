package chat.persistence.dashboard;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * What a program's metrics say at one moment, by the names that Prometheus has.
 *
 * @see <a href="https://prometheus.io/docs/instrumenting/exposition_formats/">the text format</a>
 */
final class Samples {
    private final Map<String, List<Sample>> byName;

    private Samples(Map<String, List<Sample>> byName) {
        this.byName = byName;
    }

    /** One line. */
    record Sample(Map<String, String> labels, double value) {
        String label(String name) {
            return labels.getOrDefault(name, "");
        }
    }

    /** Reads the text format; lines that are none of it are passed over: what is missing is shown as missing. */
    static Samples parse(String text) {
        Map<String, List<Sample>> byName = new HashMap<>();
        text.lines().filter(line -> !line.isEmpty() && line.charAt(0) != '#').forEach(line -> {
            try {
                new Line(line).read(byName);
            } catch (NumberFormatException | StringIndexOutOfBoundsException none) {
                // No sample.
            }
        });
        return new Samples(byName);
    }

    boolean has(String name) {
        return byName.containsKey(name);
    }

    private List<Sample> all(String name) {
        return byName.getOrDefault(name, List.of());
    }

    /** The sum over all labels; 0 where there is none. */
    double sum(String name) {
        return all(name).stream().mapToDouble(Sample::value).sum();
    }

    /** Sums by the values of one label, in their order. */
    Map<String, Double> by(String name, String label) {
        Map<String, Double> sums = new TreeMap<>();
        for (Sample sample : all(name)) {
            Double unused = sums.merge(sample.label(label), sample.value(), Double::sum);
        }
        return sums;
    }

    /** How many observations were at most so large, by that bound; cumulative, with infinity as the last bound. */
    NavigableMap<Double, Double> buckets(String histogram) {
        NavigableMap<Double, Double> buckets = new TreeMap<>();
        by(histogram + "_bucket", "le").forEach((bound, count) -> buckets.put(number(bound), count));
        return buckets;
    }

    private static double number(String text) {
        return switch (text) {
            case "+Inf" -> Double.POSITIVE_INFINITY;
            case "-Inf" -> Double.NEGATIVE_INFINITY;
            default -> Double.parseDouble(text);
        };
    }

    /** {@code name{label="value",…} number [time]}. */
    private static final class Line {
        private final String text;
        private int at;

        Line(String text) {
            this.text = text;
        }

        void read(Map<String, List<Sample>> into) {
            String name = until("{ ");
            Map<String, String> labels = new HashMap<>();
            if (text.charAt(at) == '{') {
                at++;
                while (text.charAt(at) != '}') {
                    String label = until("=").strip();
                    at += 2;
                    labels.put(label, quoted());
                    if (text.charAt(at) == ',') at++;
                }
                at++;
            }
            String rest = text.substring(at).strip();
            int space = rest.indexOf(' ');
            double value = number(space < 0 ? rest : rest.substring(0, space));
            into.computeIfAbsent(name, unused -> new ArrayList<>()).add(new Sample(labels, value));
        }

        private String until(String ends) {
            int from = at;
            while (ends.indexOf(text.charAt(at)) < 0) at++;
            return text.substring(from, at);
        }

        private String quoted() {
            StringBuilder value = new StringBuilder();
            for (char c = text.charAt(at++); c != '"'; c = text.charAt(at++)) {
                if (c != '\\') {
                    value.append(c);
                    continue;
                }
                char escaped = text.charAt(at++);
                value.append(escaped == 'n' ? '\n' : escaped);
            }
            return value.toString();
        }
    }
}
