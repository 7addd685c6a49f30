package chat.load.report;

import org.HdrHistogram.Histogram;

/** Summarizes a histogram in milliseconds, except {@code count}; all 0 if it is empty. */
public record Percentiles(
        long count, double mean, double p50, double p90, double p95, double p99, double p999, double min, double max) {
    /** @param micros a histogram of microseconds */
    public static Percentiles of(Histogram micros) {
        if (micros.getTotalCount() == 0) return new Percentiles(0, 0, 0, 0, 0, 0, 0, 0, 0);
        return new Percentiles(
                micros.getTotalCount(),
                Math.round(micros.getMean()) / 1000.0,
                at(micros, 50),
                at(micros, 90),
                at(micros, 95),
                at(micros, 99),
                at(micros, 99.9),
                micros.getMinValue() / 1000.0,
                // The bucket's upper bound can exceed the largest value recorded.
                micros.getMaxValue() / 1000.0);
    }

    private static double at(Histogram micros, double percentile) {
        return Math.min(micros.getValueAtPercentile(percentile), micros.getMaxValue()) / 1000.0;
    }
}
