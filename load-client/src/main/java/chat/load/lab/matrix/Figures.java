package chat.load.lab.matrix;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Holds the values of one {@code summary.json} that tables of several runs show.
 *
 * @param rates per second, such as {@code sends}; only those measured
 * @param fanOut deliveries per message; null if unknown
 * @param latencyMillis by metric
 * @param depthPeak messages waiting to be stored, in the worst second; null if not sampled
 * @param serverCpuMicrosPerDelivery CPU time of all sampled processes except the load client, per delivery; null if
 *     unknown
 * @param breaches number of violations by failed check
 * @param unchecked checks that were skipped
 * @param promises what this kind of server guarantees, as text; empty if the summary does not say
 */
public record Figures(
        Map<String, Double> rates,
        @Nullable Double fanOut,
        Map<String, Latency> latencyMillis,
        @Nullable Double depthPeak,
        @Nullable Double serverCpuMicrosPerDelivery,
        Map<String, Long> breaches,
        List<String> unchecked,
        List<String> promises) {
    private static final String GENERATOR = "generator";
    private static final String DEPTH = "consumer.depth";

    /** Milliseconds. */
    public record Latency(double mean, double p50, double p99) {}

    /** Reads a {@code summary.json}; missing figures are left out. */
    public static Figures of(JsonNode summary) {
        Map<String, Double> rates = new LinkedHashMap<>();
        // A run that did not complete reports 0.
        summary.path("rates").forEachEntry((name, rate) -> {
            if (rate.asDouble() > 0) rates.put(name, rate.asDouble());
        });
        Map<String, Latency> latencies = new LinkedHashMap<>();
        summary.path("latencyMillis").forEachEntry((name, latency) -> {
            if (latency.path("count").asLong() > 0)
                latencies.put(
                        name,
                        new Latency(
                                latency.path("mean").asDouble(),
                                latency.path("p50").asDouble(),
                                latency.path("p99").asDouble()));
        });
        Map<String, Long> breaches = new LinkedHashMap<>();
        List<String> unchecked = new ArrayList<>();
        for (JsonNode check : summary.path("verdict").path("checks")) {
            String name = check.path("name").asString("");
            switch (check.path("status").asString("")) {
                case "FAIL" -> breaches.put(name, check.path("count").asLong());
                case "SKIPPED" -> unchecked.add(name);
                default -> {}
            }
        }
        List<String> promises = new ArrayList<>();
        for (JsonNode promise : summary.path("plan").path("promises")) promises.add(promise.asString(""));
        return new Figures(
                rates,
                ratio(rates.get("deliveries"), rates.getOrDefault("accepted", rates.get("sends"))),
                latencies,
                depthPeak(summary),
                cpu(summary, rates.get("deliveries")),
                breaches,
                unchecked,
                promises);
    }

    private static @Nullable Double ratio(@Nullable Double of, @Nullable Double to) {
        return of == null || to == null ? null : of / to;
    }

    private static @Nullable Double depthPeak(JsonNode summary) {
        JsonNode peak = summary.path("peaks").path(DEPTH);
        return peak.isNumber() ? peak.asDouble() : null;
    }

    private static @Nullable Double cpu(JsonNode summary, @Nullable Double deliveriesPerSecond) {
        double[] cores = {0};
        summary.path("processes").forEachEntry((name, use) -> {
            if (!name.equals(GENERATOR)) cores[0] += use.path("cpuMean").asDouble(0);
        });
        return deliveriesPerSecond == null || cores[0] == 0 ? null : cores[0] * 1e6 / deliveriesPerSecond;
    }

    long broken(Promise promise) {
        return breaches.entrySet().stream()
                .filter(breach -> Promise.of(breach.getKey()) == promise)
                .mapToLong(Map.Entry::getValue)
                .sum();
    }
}
