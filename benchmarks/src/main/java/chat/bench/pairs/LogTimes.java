package chat.bench.pairs;

import chat.bench.result.Medians;
import chat.kit.metrics.PrometheusText;
import java.math.MathContext;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Counts what the servers of a platform have published to RabbitMQ so far.
 *
 * @param published number of entries
 * @param confirmedWithin number of entries confirmed within each time, in seconds; the last time is infinite
 */
record LogTimes(double published, TreeMap<Double, Double> confirmedWithin) {
    private static final String PUBLISHED = "chat_log_entries_published_total";
    private static final String CONFIRMED = "chat_log_confirm_seconds_bucket";
    static final Set<String> METRICS = Set.of(PUBLISHED, CONFIRMED);

    private static final MathContext THREE_DIGITS = new MathContext(3);

    /** @param values of all servers */
    static LogTimes of(List<PrometheusText.Value> values) {
        double published = 0;
        TreeMap<Double, Double> within = new TreeMap<>();
        for (PrometheusText.Value value : values) {
            String bound = value.labels().get("le");
            if (value.name().equals(PUBLISHED)) published += value.value();
            else if (bound != null) within.merge(PrometheusText.number(bound), value.value(), Double::sum);
        }
        return new LogTimes(published, within);
    }

    /** Returns what has been added since an earlier count. */
    LogTimes since(LogTimes before) {
        TreeMap<Double, Double> added = new TreeMap<>();
        confirmedWithin.forEach(
                (bound, count) -> added.put(bound, count - before.confirmedWithin.getOrDefault(bound, 0.0)));
        return new LogTimes(published - before.published, added);
    }

    /**
     * Returns the time within which this share of the entries was confirmed, in milliseconds: the upper bound of a
     * bucket of the histogram; {@code ?} if there are no entries or the bucket has no bound.
     */
    String confirmMillis(double share) {
        if (confirmedWithin.isEmpty() || confirmedWithin.lastEntry().getValue() <= 0) return "?";
        double enough = share * confirmedWithin.lastEntry().getValue();
        for (Map.Entry<Double, Double> bucket : confirmedWithin.entrySet())
            if (bucket.getValue() >= enough) return Medians.text(bucket.getKey() * 1_000, THREE_DIGITS);
        return "?";
    }
}
