package chat.persistence.dashboard;

import chat.kit.metrics.PrometheusText;
import chat.kit.metrics.PrometheusText.Value;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * The values of a program's metrics at one moment, by their Prometheus names.
 *
 * @see <a href="https://prometheus.io/docs/instrumenting/exposition_formats/">the text format</a>
 */
final class Samples {
    /** The accepted content type; without it a program may answer in another format. */
    static final String TYPE = "text/plain;version=0.0.4";

    private final Map<String, List<Value>> byName;

    private Samples(Map<String, List<Value>> byName) {
        this.byName = byName;
    }

    /** Parses the text format. Skips malformed lines: their metrics are shown as missing. */
    static Samples parse(String text) {
        Map<String, List<Value>> byName = new HashMap<>();
        PrometheusText.read(
                text.getBytes(StandardCharsets.UTF_8),
                name -> true,
                value -> byName.computeIfAbsent(value.name(), unused -> new ArrayList<>())
                        .add(value));
        return new Samples(byName);
    }

    boolean has(String name) {
        return byName.containsKey(name);
    }

    private List<Value> all(String name) {
        return byName.getOrDefault(name, List.of());
    }

    /** The sum over all labels; 0 if there are no samples. */
    double sum(String name) {
        return all(name).stream().mapToDouble(Value::value).sum();
    }

    /** Sums by the values of one label, sorted. */
    Map<String, Double> by(String name, String label) {
        Map<String, Double> sums = new TreeMap<>();
        for (Value value : all(name)) {
            Double unused = sums.merge(value.labels().getOrDefault(label, ""), value.value(), Double::sum);
        }
        return sums;
    }

    /** Cumulative counts by upper bound; the last bound is infinity. */
    NavigableMap<Double, Double> buckets(String histogram) {
        NavigableMap<Double, Double> buckets = new TreeMap<>();
        by(histogram + "_bucket", "le").forEach((bound, count) -> buckets.put(PrometheusText.number(bound), count));
        return buckets;
    }
}
