package chat.load.run;

import chat.load.check.Checker;
import chat.load.check.Verdict;
import chat.load.driver.ChatRun;
import chat.load.plan.Numbering;
import chat.load.plan.Pacing;
import chat.load.plan.Plan;
import chat.load.plan.PlanSettings;
import chat.load.report.Counters;
import chat.load.report.Percentiles;
import chat.load.report.ProgressLine;
import chat.load.report.RunRecord;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Runs the steps before a measured run: reading the announced limit, warming up and measuring the maximum. The
 * report's figures exclude them.
 */
final class Rehearsal {
    /** To measure the maximum: enough messages in flight to fill every batch, and long enough for the JIT compiler. */
    private static final Pacing MAXIMUM_PACE = new Pacing.Window(16);

    private static final Duration MAXIMUM_TIME = Duration.ofSeconds(10);
    private static final int MAXIMUM_MESSAGES = 2_000;

    private final PlanSettings settings;
    private final PlanRunner runner;
    private final Plan plan;
    private final PrintWriter out;

    /** @param plan the plan of the measured run, as far as it is known */
    Rehearsal(PlanSettings settings, PlanRunner runner, Plan plan, PrintWriter out) {
        this.settings = settings;
        this.runner = runner;
        this.plan = plan;
        this.out = out;
    }

    /**
     * Returns the run that measures the maximum.
     *
     * @throws IllegalArgumentException if it would be too large
     */
    static Plan maximum(Plan plan) {
        Numbering size = plan.numbering();
        return plan.with(
                "maximum", new Numbering(size.rooms(), size.users(), MAXIMUM_MESSAGES), MAXIMUM_PACE, MAXIMUM_TIME);
    }

    /** @return the rate to send at a server that announces its limit; 0 if the plan determines the rate */
    double announced() throws InterruptedException, Unusable {
        Plan.Limit limit = plan.limit();
        if (limit == null || limit.perSecond() > 0) return 0;
        Plan ask = plan.with("ask", new Numbering(1, 1, 0), new Pacing.Window(1), null);
        ChatRun.Result result = runner.run(ask, PlanRunner.Recording.ofResult(new Counters()));
        if (!result.history().aborted().isEmpty())
            throw new Unusable("no member could join: "
                    + String.join("; ", result.history().aborted()));
        if (result.announcedRate() <= 0)
            throw new Unusable(
                    plan.scenario()
                            + ": not supported by this server: its WELCOME has no limits.messagesPerSecond; give --limit if the server has one");
        // Without a rate, the run uses the requested window.
        if (settings.pace().window() != null) return 0;
        Double rate = settings.pace().rate();
        return rate != null ? rate : PlanSettings.OVERLOAD * result.announcedRate() * limit.times(plan.clients());
    }

    RunRecord.@Nullable WarmUp warmUp() throws InterruptedException, Unusable {
        RunRecord.WarmUp all = null;
        for (Plan round : settings.warmUp().plans(plan)) {
            ChatRun.Result result = before(round);
            Verdict verdict = Checker.check(result.history());
            Map<String, Percentiles> percentiles = new LinkedHashMap<>();
            result.latencies()
                    .histograms()
                    .forEach((name, histogram) -> percentiles.put(name, Percentiles.of(histogram)));
            RunRecord.WarmUp one = new RunRecord.WarmUp(
                    1, round.clients(), verdict.invoked(), verdict.accepted(), result.chatSeconds(), percentiles);
            all = all == null ? one : all.and(one);
        }
        return all;
    }

    double share(double share) throws InterruptedException, Unusable {
        ChatRun.Result result = before(maximum(plan));
        double maximum = Checker.check(result.history()).accepted() / result.chatSeconds();
        out.printf(
                Locale.ROOT,
                "maximum      %,.0f messages/s with window 16; the run sends %,.0f/s, %.0f %% of it%n",
                maximum,
                share * maximum,
                100 * share);
        out.flush();
        return share * maximum;
    }

    /** Runs a plan before the measured run. It is not judged, but it must complete. */
    private ChatRun.Result before(Plan earlier) throws InterruptedException, Unusable {
        Counters counters = new Counters();
        try (ProgressLine progress = runner.progress(counters, earlier)) {
            progress.start();
            ChatRun.Result result = runner.run(earlier, PlanRunner.Recording.ofResult(counters));
            if (result.chatSeconds() <= 0)
                throw new Unusable("the " + earlier.scenario() + " did not complete: "
                        + String.join("; ", result.history().aborted()));
            return result;
        }
    }
}
