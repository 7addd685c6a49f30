package chat.load.report;

import java.util.OptionalDouble;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Compares both sides of L = λW over the chat phase: predicted and measured messages in flight. They are measured
 * independently, so a ratio far from 1 means that a measurement is wrong or that the run was not steady.
 *
 * @param perSecond λ: messages accepted
 * @param meanMillis W: mean time from frame to ACK
 * @param predicted λW
 * @param measured mean number of messages sent and not yet answered
 */
record LittlesLaw(double perSecond, double meanMillis, double predicted, double measured, double ratio) {
    /** Messages in flight are sampled once a second: fewer samples mean nothing. */
    private static final double SECONDS_NEEDED = 3;

    /** Null if one side was not measured, or not for long enough. */
    static @Nullable LittlesLaw of(RunRecord run) {
        Histogram ack = run.latencies().get(RunRecord.ACK);
        PhaseWindow chat = PhaseWindow.chat(run);
        OptionalDouble measured = chat.mean(run.samples().values("client.inFlight"));
        if (ack == null || measured.isEmpty() || run.seconds().chat() < SECONDS_NEEDED) return null;
        double rate = run.verdict().accepted() / run.seconds().chat();
        double millis = ack.getMean() / 1000;
        double predicted = rate * millis / 1000;
        if (!(predicted > 0)) return null;
        double found = measured.getAsDouble();
        return new LittlesLaw(rate, millis, predicted, found, found / predicted);
    }
}
