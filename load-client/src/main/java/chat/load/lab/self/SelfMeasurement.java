package chat.load.lab.self;

import chat.load.check.Checker;
import chat.load.check.Verdict;
import chat.load.check.Verdict.Status;
import chat.load.dialect.Dialects;
import chat.load.driver.ChatRun;
import chat.load.plan.Arrivals;
import chat.load.plan.Backoff;
import chat.load.plan.Guests;
import chat.load.plan.Numbering;
import chat.load.plan.Pacing;
import chat.load.plan.Placement;
import chat.load.plan.Plan;
import chat.load.plan.RunIds;
import chat.load.plan.Traffic;
import chat.load.report.Counters;
import chat.load.report.Samples;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/**
 * Measures how much the load client can verify on this machine. In each round, members of a few large rooms send, the
 * server returns everything, and the client verifies every delivery.
 */
public final class SelfMeasurement {
    private static final int WARM_UP_ROUNDS = 2;

    private SelfMeasurement() {}

    /**
     * @param failures checks that failed, as text
     * @param deliveriesPerCoreSecond verified deliveries per second of event-loop CPU time, sends and kernel calls
     *     included
     * @param deliveriesPerSecond by wall-clock time, the server's share of the machine included
     */
    public record Round(
            List<String> failures,
            long deliveries,
            long frames,
            double deliveriesPerCoreSecond,
            double deliveriesPerSecond) {}

    /**
     * Returns the plan of a round: members send everything at once.
     *
     * @throws IllegalArgumentException if the size is not possible
     */
    public static Plan plan(Numbering size, int payload) {
        return new Plan(
                "self",
                size,
                1,
                Traffic.ofTexts(payload),
                new Pacing.Window(size.messages()),
                Arrivals.Ramp.DEFAULT,
                Guests.NONE,
                null,
                true,
                0,
                null,
                null,
                Placement.ROOM,
                1,
                1,
                Duration.ofSeconds(30));
    }

    /**
     * Measures the given number of rounds, after two unmeasured ones. Blocks until all are complete or one fails.
     *
     * @param textsPerFrame number of TEXTs in one frame
     * @param rounds at least 1
     * @return the medians of all rounds, with the counts of the last one; or the first round that failed
     */
    public static Round median(Plan plan, int textsPerFrame, int rounds) throws InterruptedException {
        for (int i = 0; i < WARM_UP_ROUNDS; i++) {
            Round warmUp = round(plan, textsPerFrame);
            if (!warmUp.failures().isEmpty()) return warmUp;
        }
        double[] perCore = new double[rounds];
        double[] perSecond = new double[rounds];
        long deliveries = 0;
        long frames = 0;
        for (int i = 0; i < rounds; i++) {
            Round one = round(plan, textsPerFrame);
            if (!one.failures().isEmpty()) return one;
            perCore[i] = one.deliveriesPerCoreSecond();
            perSecond[i] = one.deliveriesPerSecond();
            deliveries = one.deliveries();
            frames = one.frames();
        }
        return new Round(List.of(), deliveries, frames, median(perCore), median(perSecond));
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    private static Round round(Plan plan, int textsPerFrame) throws InterruptedException {
        Numbering size = plan.numbering();
        Counters counters = new Counters();
        try (BlastServer server = new BlastServer(size.users(), size.messages(), textsPerFrame)) {
            ChatRun.Result result = ChatRun.run(
                    plan,
                    RunIds.random(System.currentTimeMillis()),
                    new ChatRun.Surroundings(
                            Dialects.confab(),
                            List.of(server.url()),
                            1,
                            Backoff.DEFAULT,
                            counters,
                            new Samples(),
                            System.nanoTime(),
                            null,
                            null,
                            phase -> {}));
            Verdict verdict = Checker.check(result.history());
            long deliveries = counters.deliveries.sum();
            return new Round(
                    verdict.checks().stream()
                            .filter(check -> check.status() == Status.FAIL)
                            .map(check -> check.name() + ": " + check.examples())
                            .toList(),
                    deliveries,
                    counters.frames.sum(),
                    deliveries / result.chatCpuSeconds(),
                    deliveries / result.chatSeconds());
        }
    }
}
