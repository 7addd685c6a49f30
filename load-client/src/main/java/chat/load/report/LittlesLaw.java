package chat.load.report;

import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Compares both sides of L = λW over the chat phase: predicted and measured messages in flight. They are added up
 * independently, so a ratio far from 1 means that a measurement is wrong or that many messages were not accepted.
 *
 * @param perSecond λ: messages accepted
 * @param meanMillis W: mean time from frame to ACK
 * @param predicted λW
 * @param measured mean number of messages sent and not yet answered, weighted by time
 */
record LittlesLaw(double perSecond, double meanMillis, double predicted, double measured, double ratio) {
    /** Null if one side was not measured. */
    static @Nullable LittlesLaw of(RunRecord run) {
        Histogram ack = run.latencies().get(RunRecord.ACK);
        double seconds = run.throughput().seconds();
        if (ack == null || !(seconds > 0)) return null;
        double rate = run.verdict().accepted() / seconds;
        double millis = ack.getMean() / 1000;
        double predicted = rate * millis / 1000;
        if (!(predicted > 0)) return null;
        double measured = run.throughput().inFlightSeconds() / seconds;
        return new LittlesLaw(rate, millis, predicted, measured, measured / predicted);
    }
}
