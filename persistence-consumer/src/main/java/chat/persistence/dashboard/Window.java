package chat.persistence.dashboard;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the last readings of one program to compute rates of its counters. A program is read only while the dashboard
 * is open, so the first reading after a pause has no rates. Thread-safe.
 */
final class Window {
    /** Maximum time that rates cover. */
    private static final long MAX_MILLIS = 15_000;

    private static final String STARTED = "process_start_time_seconds";

    private final Deque<Reading> readings = new ArrayDeque<>();

    /** @param millis since 1970 */
    record Reading(long millis, Samples samples) {}

    /** Adds the newest reading and compares it with the oldest one of the window. */
    synchronized View add(Reading reading) {
        Reading last = readings.peekLast();
        // A restarted program's counters begin at 0.
        if (last != null && last.samples.sum(STARTED) != reading.samples.sum(STARTED)) readings.clear();
        readings.removeIf(earlier -> reading.millis - earlier.millis > MAX_MILLIS || earlier.millis >= reading.millis);
        readings.addLast(reading);
        return new View(Objects.requireNonNull(readings.peekFirst()), reading);
    }

    /**
     * Two readings between restarts of a program.
     *
     * @param from equal to {@code to} if there is no earlier reading; then there are no rates
     */
    record View(Reading from, Reading to) {
        Samples now() {
            return to.samples;
        }

        private double seconds() {
            return (to.millis - from.millis) / 1000.0;
        }

        /** null: not known yet. */
        @Nullable
        Double perSecond(String counter) {
            return rate(from.samples.sum(counter), to.samples.sum(counter));
        }

        /** The same for samples whose label has this value. */
        @Nullable
        Double perSecond(String counter, String label, String value) {
            return rate(
                    from.samples.by(counter, label).getOrDefault(value, 0.0),
                    to.samples.by(counter, label).getOrDefault(value, 0.0));
        }

        private @Nullable Double rate(double before, double after) {
            return seconds() > 0 ? Math.max(0, after - before) / seconds() : null;
        }

        /** Mean of the observations in the window; null: there were none. */
        @Nullable
        Double mean(String summary) {
            double count = to.samples.sum(summary + "_count") - from.samples.sum(summary + "_count");
            double sum = to.samples.sum(summary + "_sum") - from.samples.sum(summary + "_sum");
            return count > 0 ? sum / count : null;
        }

        /**
         * Quantile of the observations in the window, like Prometheus's {@code histogram_quantile}: linear within a
         * bucket.
         *
         * @param quantile more than 0, less than 1
         * @return null: nothing was observed
         */
        @Nullable
        Double quantile(String histogram, double quantile) {
            NavigableMap<Double, Double> before = from.samples.buckets(histogram);
            NavigableMap<Double, Double> after = to.samples.buckets(histogram);
            after.replaceAll((bound, count) -> count - before.getOrDefault(bound, 0.0));
            Map.Entry<Double, Double> last = after.lastEntry();
            if (last == null || last.getValue() <= 0) return null;
            double rank = quantile * last.getValue();
            double lower = 0;
            double below = 0;
            for (Map.Entry<Double, Double> bucket : after.entrySet()) {
                double upper = bucket.getKey();
                if (bucket.getValue() >= rank) {
                    if (Double.isInfinite(upper)) return lower;
                    return lower + (upper - lower) * (rank - below) / (bucket.getValue() - below);
                }
                lower = upper;
                below = bucket.getValue();
            }
            return lower;
        }
    }
}
