package chat.load;

import chat.load.check.Checker;
import chat.load.check.Verdict;
import chat.load.driver.ChatRun;
import chat.load.plan.Numbering;
import chat.load.plan.Pacing;
import chat.load.plan.Plan;
import chat.load.report.Counters;
import chat.load.report.Percentiles;
import chat.load.report.ProgressLine;
import chat.load.report.RunRecord;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What comes before a run and is in none of its figures: asking for a limit, warming up, finding the maximum. */
final class Rehearsal {
    /** To find the maximum: enough on the way to fill every batch, long enough for the JIT. */
    private static final Pacing PRESS = new Pacing.Window(16);

    private static final Duration PRESS_TIME = Duration.ofSeconds(10);
    private static final int PRESS_MESSAGES = 2_000;
    /** Twice the limit: half of it has to be refused. */
    private static final double OVERLOAD = 2;

    private final ChatOptions options;
    private final Chats chats;
    private final Plan plan;
    private final PrintWriter out;

    /** @param plan of the run itself, as far as it is known */
    Rehearsal(ChatOptions options, Chats chats, Plan plan, PrintWriter out) {
        this.options = options;
        this.chats = chats;
        this.plan = plan;
        this.out = out;
    }

    /**
     * The runs that warm up, in their order.
     *
     * @throws IllegalArgumentException one would be too large
     */
    static List<Plan> warmUps(ChatOptions options, Plan plan) {
        // The first is a closed loop in any case: it is to run the code, not to keep time.
        Pacing first = plan.sends() instanceof Pacing.Window ? plan.sends() : new Pacing.Window(1);
        List<Plan> rounds = new ArrayList<>();
        for (Numbering size : options.warmUp.sizes(plan.numbering()))
            rounds.add(plan.with("warm-up", size, rounds.isEmpty() ? first : plan.sends(), null));
        return rounds;
    }

    /**
     * The run that finds the maximum.
     *
     * @throws IllegalArgumentException it would be too large
     */
    static Plan maximum(Plan plan) {
        Numbering size = plan.numbering();
        return plan.with("maximum", new Numbering(size.rooms(), size.users(), PRESS_MESSAGES), PRESS, PRESS_TIME);
    }

    /** @return what to send per second to a server that tells its limit; 0: what the plan says */
    double announced() throws InterruptedException, Unusable {
        Plan.Limit limit = plan.limit();
        if (limit == null || limit.perSecond() > 0) return 0;
        Plan ask = plan.with("ask", new Numbering(1, 1, 0), new Pacing.Window(1), null);
        ChatRun.Result result = chats.run(ask, Chats.Notes.few(new Counters()));
        if (!result.history().aborted().isEmpty())
            throw new Unusable(
                    "nobody could join: " + String.join("; ", result.history().aborted()));
        if (result.announcedRate() <= 0)
            throw new Unusable(
                    plan.scenario()
                            + ": not supported by this server: its WELCOME tells no limits.messagesPerSecond; give --limit if it has one");
        // Without a rate, the run has the window that was asked for.
        if (options.window != null) return 0;
        return options.rate != null ? options.rate : OVERLOAD * result.announcedRate() * limit.times(plan.clients());
    }

    RunRecord.@Nullable WarmUp warmUp() throws InterruptedException, Unusable {
        RunRecord.WarmUp all = null;
        for (Plan round : warmUps(options, plan)) {
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

    /** A run before the run, not judged, but it has to work. */
    private ChatRun.Result before(Plan earlier) throws InterruptedException, Unusable {
        Counters counters = new Counters();
        try (ProgressLine progress = chats.progress(counters, earlier)) {
            progress.start();
            ChatRun.Result result = chats.run(earlier, Chats.Notes.few(counters));
            if (result.chatSeconds() <= 0)
                throw new Unusable("the " + earlier.scenario() + " did not come to its end: "
                        + String.join("; ", result.history().aborted()));
            return result;
        }
    }
}
