package chat.persistence.dashboard;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The last readings of one program: what it has now, and how much its counters grew within the last seconds. A program is
 * only read while somebody looks, so the first reading after a pause has no rates. Thread-safe.
 */
final class Window {
    /** Rates are over this time at most. */
    private static final long MAX_MILLIS = 15_000;

    private static final String STARTED = "process_start_time_seconds";

    private final Deque<Reading> readings = new ArrayDeque<>();

    /** @param millis since 1970 */
    record Reading(long millis, Samples samples) {}

    /** What the newest reading says, compared with the oldest one that still counts. */
    synchronized View add(Reading reading) {
        Reading last = readings.peekLast();
        // Counters of a program that was started again begin at 0.
        if (last != null && last.samples.sum(STARTED) != reading.samples.sum(STARTED)) readings.clear();
        readings.removeIf(earlier -> reading.millis - earlier.millis > MAX_MILLIS || earlier.millis >= reading.millis);
        readings.addLast(reading);
        return new View(Objects.requireNonNull(readings.peekFirst()), reading);
    }

    /**
     * Two readings of one run of a program.
     *
     * @param from the same as {@code to} where there is no earlier one: then there are no rates
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

        /** The same of those whose label has that value. */
        @Nullable
        Double perSecond(String counter, String label, String value) {
            return rate(
                    from.samples.by(counter, label).getOrDefault(value, 0.0),
                    to.samples.by(counter, label).getOrDefault(value, 0.0));
        }

        private @Nullable Double rate(double before, double after) {
            return seconds() > 0 ? Math.max(0, after - before) / seconds() : null;
        }

        /** The mean of what was observed meanwhile; null: nothing was. */
        @Nullable
        Double mean(String summary) {
            double count = to.samples.sum(summary + "_count") - from.samples.sum(summary + "_count");
            double sum = to.samples.sum(summary + "_sum") - from.samples.sum(summary + "_sum");
            return count > 0 ? sum / count : null;
        }

        /**
         * Of what was observed meanwhile, as Prometheus's {@code histogram_quantile} has it: within a bucket evenly spread.
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
