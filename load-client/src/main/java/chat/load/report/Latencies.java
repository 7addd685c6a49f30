package chat.load.report;

import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * Records latencies in microseconds, to three digits. A message's latency starts when it was meant to be sent: in an
 * open loop at its planned time, in a closed loop when its frame is first passed to the socket. Retries and lost
 * connections do not restart it. Confined to one thread; results of several threads are added up.
 */
public final class Latencies {
    /** The measured latency. */
    public enum Metric {
        ACK("ack", RunRecord.ACK),
        OWN("own", RunRecord.OWN_DELIVERY),
        OTHERS("others", RunRecord.OTHERS_DELIVERY),
        ROW("row", RunRecord.ROW),
        WELCOME("welcome", RunRecord.WELCOME),
        CONNECT("connect", RunRecord.CONNECT);

        /** Of its series. */
        private final String key;
        /** For people. */
        private final String label;

        Metric(String key, String label) {
            this.key = key;
            this.label = label;
        }

        public String key() {
            return key;
        }

        public String label() {
            return label;
        }
    }

    private static final int DIGITS = 3;

    private final Map<Metric, Histogram> histograms = new EnumMap<>(Metric.class);
    // Cached: used for every delivery.
    private final Histogram others;
    private final Histogram own;

    public Latencies() {
        for (Metric metric : Metric.values()) histograms.put(metric, new Histogram(DIGITS));
        others = of(Metric.OTHERS);
        own = of(Metric.OWN);
    }

    public void record(Metric metric, long nanos) {
        of(metric).recordValue(Math.max(0, nanos / 1000));
    }

    public void others(long nanos) {
        others.recordValue(Math.max(0, nanos / 1000));
    }

    public void own(long nanos) {
        own.recordValue(Math.max(0, nanos / 1000));
    }

    public void add(Latencies more) {
        for (Metric metric : Metric.values()) {
            if (more.of(metric).getTotalCount() > 0) of(metric).add(more.of(metric));
        }
    }

    public void reset() {
        for (Histogram histogram : histograms.values()) if (histogram.getTotalCount() > 0) histogram.reset();
    }

    /** Values in microseconds. */
    public Histogram of(Metric metric) {
        Histogram histogram = histograms.get(metric);
        if (histogram == null) throw new IllegalStateException("not measured: " + metric);
        return histogram;
    }

    /** The non-empty histograms, by metric. */
    public Map<String, Histogram> histograms() {
        Map<String, Histogram> all = new LinkedHashMap<>();
        histograms.forEach((metric, histogram) -> {
            if (histogram.getTotalCount() > 0) all.put(metric.label(), histogram);
        });
        return all;
    }
}
