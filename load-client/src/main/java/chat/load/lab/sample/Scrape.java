package chat.load.lab.sample;

import chat.kit.metrics.PrometheusText;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** One scrape of a metrics endpoint, reduced to the known series. */
final class Scrape {
    private static final Map<String, List<Selector>> SELECTORS = selectors();

    /** Summary of the values that a selector matched. */
    private record Fold(double sum, double largest) {
        Fold and(double value) {
            return new Fold(sum + value, Math.max(largest, value));
        }
    }

    private final Map<Selector, Fold> folds = new HashMap<>();
    private int lines;

    private static Map<String, List<Selector>> selectors() {
        Set<Selector> all = new LinkedHashSet<>(KnownMetrics.SETTLED);
        all.add(KnownMetrics.ACCEPTED);
        all.add(KnownMetrics.STARTED);
        for (MetricSeries series : KnownMetrics.ALL) all.addAll(series.selectors());
        Map<String, List<Selector>> byMetric = new HashMap<>();
        for (Selector selector : all)
            byMetric.computeIfAbsent(selector.metric(), added -> new ArrayList<>())
                    .add(selector);
        return byMetric;
    }

    static Scrape of(byte[] text) {
        Scrape scrape = new Scrape();
        PrometheusText.read(text, SELECTORS::containsKey, scrape::add);
        return scrape;
    }

    private void add(PrometheusText.Value value) {
        lines++;
        // Negative values mean "unknown", such as the limit of an unlimited memory pool.
        if (!(value.value() >= 0)) return;
        for (Selector selector : SELECTORS.getOrDefault(value.name(), List.of()))
            if (selector.matches(value.labels()))
                folds.merge(
                        selector, new Fold(value.value(), value.value()), (before, added) -> before.and(value.value()));
    }

    /** Whether it has no known metric. */
    boolean isForeign() {
        return lines == 0;
    }

    /** NaN if none of them exists. */
    double sum(Collection<Selector> selectors) {
        double sum = Double.NaN;
        for (Selector selector : selectors) {
            Fold fold = folds.get(selector);
            if (fold != null) sum = Double.isNaN(sum) ? fold.sum : sum + fold.sum;
        }
        return sum;
    }

    /** When the program started, in milliseconds since 1970; 0 if unknown. */
    long life() {
        Fold started = folds.get(KnownMetrics.STARTED);
        return started == null ? 0 : Math.round(started.sum * 1e3);
    }

    /** @param program name of the scraped program */
    void write(String program, Sink sink) {
        for (MetricSeries series : KnownMetrics.ALL) write(series, name(program, series), sink);
    }

    private static String name(String program, MetricSeries series) {
        String owner = switch (series.owner()) {
            case PROGRAM -> program;
            case CONSUMER -> ProcessFinder.CONSUMER;
            case BROKER -> ProcessFinder.RABBITMQ;
        };
        return owner + "." + series.metric();
    }

    private void write(MetricSeries series, String name, Sink sink) {
        List<Fold> found = new ArrayList<>();
        for (Selector selector : series.selectors()) {
            Fold fold = folds.get(selector);
            if (fold == null) return;
            found.add(fold);
        }
        Fold first = found.getFirst();
        Fold last = found.getLast();
        switch (series) {
            case MetricSeries.Sum sum -> sink.gauge(name, first.sum);
            case MetricSeries.Largest largest -> sink.gauge(name, first.largest * largest.factor());
            case MetricSeries.Rate rate -> sink.counter(name, life(), first.sum * rate.factor());
            case MetricSeries.Mean mean -> sink.quotient(name, life(), first.sum * mean.factor(), last.sum);
            case MetricSeries.Share share -> sink.gauge(name, first.sum * last.sum);
        }
    }
}
