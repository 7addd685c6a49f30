package chat.load.report;

import chat.load.report.TenSecondCounts.Event;
import java.util.ArrayList;
import java.util.List;

/**
 * Holds what was sent, accepted and delivered from the first send until the end of the chat.
 *
 * @param beginSecond time of the first send, in seconds since the run's beginning
 * @param seconds from the first send to the last answer; 0 if nothing was sent
 * @param inFlightSeconds how long all TEXTs together were unanswered: the integral of their number over time
 */
public record Throughput(double beginSecond, double seconds, TenSecondCounts counts, double inFlightSeconds) {
    /**
     * Rates per second of a step of ten seconds, of which the last may be shorter.
     *
     * @param from seconds since the first send
     * @param stored NaN if it was not sampled
     */
    record Bucket(int from, double seconds, double sent, double accepted, double deliveries, double stored) {}

    /** @param stored rows per second, by second of the run */
    List<Bucket> buckets(double[] stored) {
        List<Bucket> buckets = new ArrayList<>();
        for (int step = 0; step * TenSecondCounts.STEP < seconds; step++) {
            int from = step * TenSecondCounts.STEP;
            double length = Math.min(TenSecondCounts.STEP, seconds - from);
            buckets.add(new Bucket(
                    from,
                    length,
                    counts.count(Event.SENT, step) / length,
                    counts.count(Event.ACCEPTED, step) / length,
                    counts.count(Event.DELIVERED, step) / length,
                    mean(stored, beginSecond + from, length)));
        }
        return buckets;
    }

    /** The mean of values per second over a time that may begin and end within a second; NaN if all are unknown. */
    private static double mean(double[] values, double from, double length) {
        double sum = 0;
        double known = 0;
        for (int second = (int) from; second < Math.min(values.length, from + length); second++) {
            double share = Math.min(second + 1.0, from + length) - Math.max(second, from);
            if (Double.isNaN(values[second]) || share <= 0) continue;
            sum += share * values[second];
            known += share;
        }
        return known > 0 ? sum / known : Double.NaN;
    }
}
