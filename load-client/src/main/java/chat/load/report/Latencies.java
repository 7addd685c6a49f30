package chat.load.report;

import java.util.LinkedHashMap;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * Latencies in microseconds, to three digits. The clock of a message starts when its frame is first handed to the socket,
 * and is not set back by retries. Confined to one thread; those of several are added up at the end.
 */
public final class Latencies {
    private static final int DIGITS = 3;

    private final Histogram ack = new Histogram(DIGITS);
    private final Histogram ownDelivery = new Histogram(DIGITS);
    private final Histogram othersDelivery = new Histogram(DIGITS);
    private final Histogram welcome = new Histogram(DIGITS);

    public void ack(long nanos) {
        record(ack, nanos);
    }

    public void ownDelivery(long nanos) {
        record(ownDelivery, nanos);
    }

    public void othersDelivery(long nanos) {
        record(othersDelivery, nanos);
    }

    public void welcome(long nanos) {
        record(welcome, nanos);
    }

    private static void record(Histogram histogram, long nanos) {
        histogram.recordValue(Math.max(0, nanos / 1000));
    }

    public void add(Latencies other) {
        ack.add(other.ack);
        ownDelivery.add(other.ownDelivery);
        othersDelivery.add(other.othersDelivery);
        welcome.add(other.welcome);
    }

    /** By what they measure, in the order they are shown. */
    public Map<String, Percentiles> percentiles() {
        Map<String, Percentiles> all = new LinkedHashMap<>();
        all.put("frame to ACK", Percentiles.of(ack));
        all.put("frame to own delivery", Percentiles.of(ownDelivery));
        all.put("frame to delivery at others", Percentiles.of(othersDelivery));
        all.put("JOIN to WELCOME", Percentiles.of(welcome));
        return all;
    }

    /** Milliseconds, but for {@code count}. */
    public record Percentiles(long count, double mean, double p50, double p95, double p99, double min, double max) {
        static Percentiles of(Histogram micros) {
            if (micros.getTotalCount() == 0) return new Percentiles(0, 0, 0, 0, 0, 0, 0);
            return new Percentiles(
                    micros.getTotalCount(),
                    Math.round(micros.getMean()) / 1000.0,
                    micros.getValueAtPercentile(50) / 1000.0,
                    micros.getValueAtPercentile(95) / 1000.0,
                    micros.getValueAtPercentile(99) / 1000.0,
                    micros.getMinValue() / 1000.0,
                    micros.getMaxValue() / 1000.0);
        }
    }
}
