package chat.load.report;

import java.util.OptionalDouble;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * L = λW over the chat phase: how many messages should have been on their way, and how many were. The two are measured
 * apart, so that a ratio far from 1 says that one of the measurements is wrong, or that the run was not steady.
 *
 * @param perSecond λ: messages accepted
 * @param meanMillis W: mean time from frame to ACK
 * @param predicted λW
 * @param measured mean of the messages sent and not yet answered
 */
record LittlesLaw(double perSecond, double meanMillis, double predicted, double measured, double ratio) {
    /** The number on their way is looked at once a second: fewer looks say nothing. */
    private static final double SECONDS_NEEDED = 3;

    /** Null where one side was not measured, or not for long enough. */
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
