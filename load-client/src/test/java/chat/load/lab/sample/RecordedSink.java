package chat.load.lab.sample;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** Keeps what a probe reports: totals as they are, so that tests see what was read. */
final class RecordedSink implements Sink {
    final Map<String, Double> gauges = new LinkedHashMap<>();
    final Map<String, Double> totals = new LinkedHashMap<>();
    final Map<String, Long> lives = new LinkedHashMap<>();
    final Set<String> told = new LinkedHashSet<>();

    double gauge(String name) {
        return Objects.requireNonNull(gauges.get(name), name);
    }

    double total(String name) {
        return Objects.requireNonNull(totals.get(name), name);
    }

    @Override
    public void gauge(String name, double value) {
        gauges.put(name, value);
    }

    @Override
    public void counter(String name, long life, double total) {
        totals.put(name, total);
        lives.put(name, life);
    }

    @Override
    public void quotient(String name, long life, double total, double perTotal) {
        totals.put(name, total);
        totals.put(name + "/", perTotal);
        lives.put(name, life);
    }

    @Override
    public void note(String text) {
        told.add(text);
    }
}
