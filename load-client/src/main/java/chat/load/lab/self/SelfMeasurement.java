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
import chat.load.report.Counters;
import chat.load.report.Samples;
import java.time.Duration;
import java.util.List;

/**
 * Executes one round: members of a few large rooms send, the server returns everything, and the client verifies every
 * delivery.
 */
public final class SelfMeasurement {
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
                payload,
                new Pacing.Window(size.messages()),
                Arrivals.Ramp.DEFAULT,
                Guests.NONE,
                null,
                true,
                0,
                0,
                null,
                null,
                Placement.ROOM,
                1,
                1,
                Duration.ofSeconds(30));
    }

    /**
     * Blocks until the round is complete.
     *
     * @param textsPerFrame number of TEXTs in one frame
     */
    public static Round round(Plan plan, int textsPerFrame) throws InterruptedException {
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
