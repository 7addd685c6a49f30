package chat.load.driver;

import chat.load.check.Verdict.Check;
import chat.load.check.Verdict.Status;
import chat.load.plan.Guests;
import chat.load.plan.Pacing;
import chat.load.plan.Plan;
import chat.load.report.Latencies;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Checks what a plan expects of the servers, besides that no message is lost. */
final class Expectations {
    private static final int MAX_EXAMPLES = 5;
    private static final double FILL_TOLERANCE = 0.05;

    private Expectations() {}

    /** @param chatSeconds 0 if the chat did not complete: then nothing is checked */
    static List<Check> of(RunState run, @Nullable CrowdClients crowd, double chatSeconds, Latencies latencies) {
        List<Check> checks = new ArrayList<>();
        if (chatSeconds <= 0) return checks;
        if (run.plan.guests().misbehave()) {
            checks.add(closed(run));
            long others = run.counters.reconnects.sum();
            checks.add(check(
                    "nobody else lost a connection", others, List.of(others + " connections of others were lost")));
        }
        if (run.plan.keepsConnections()) checks.add(kept(run));
        if (run.plan.guests().kind() == Guests.Kind.VISITORS) checks.add(welcomed(run));
        Plan.Limit limit = run.plan.limit();
        if (limit != null) addLimit(run, limit, latencies, checks);
        if (crowd != null) checks.addAll(crowd.checks());
        return checks;
    }

    private static void addLimit(RunState run, Plan.Limit limit, Latencies latencies, List<Check> checks) {
        checks.add(admitted(run, limit));
        checks.add(accounted(run));
        if (limit.pending() > 0 && run.plan.sends() instanceof Pacing.Rate offered)
            checks.add(filled(run, limit, offered));
        if (limit.longestWait() != null) checks.add(waited(limit.longestWait(), latencies));
    }

    private static Check kept(RunState run) {
        long lost = run.counters.reconnects.sum();
        long refused = run.counters.failedConnects.sum();
        return check(
                "no connection was lost or refused",
                lost + refused,
                List.of(String.format(Locale.ROOT, "%,d were lost, %,d refused", lost, refused)));
    }

    private static Check closed(RunState run) {
        Guests guests = run.plan.guests();
        String name = String.format(
                Locale.ROOT,
                "each of %d %s was closed within %d s",
                guests.count(),
                guests.kind() == Guests.Kind.SILENT ? "silent clients" : "slow readers",
                guests.within().toSeconds());
        List<String> open = run.misbehaved.stream()
                .filter(one -> one.ending() == null)
                .map(Misbehaviour::toString)
                .toList();
        return check(name, open.size() + run.misbehaving.getCount(), open);
    }

    private static Check welcomed(RunState run) {
        String name = String.format(
                Locale.ROOT,
                "each of %d visitors was welcomed",
                run.plan.guests().count());
        return check(name, run.neverWelcomed.count(), run.neverWelcomed.examples());
    }

    /** Sum of all limits. */
    private static double perSecond(RunState run, Plan.Limit limit) {
        double each = limit.perSecond() > 0 ? limit.perSecond() : run.announcedRate;
        return each * limit.times(run.plan.clients());
    }

    private static Check admitted(RunState run, Plan.Limit limit) {
        double perSecond = perSecond(run, limit);
        int times = limit.times(run.plan.clients());
        // Measured times, not planned ones: a paused machine sends later, and servers use their own clocks.
        double seconds = Math.max(0, run.lastSentNanos.get() - run.firstSentNanos.get()) / 1e9;
        // Messages still queued at the end are admitted after it.
        double expected = perSecond * seconds + (double) times * limit.burst() + limit.pending();
        long admitted = run.counters.accepted.sum();
        boolean kept = Math.abs(admitted - expected) <= limit.tolerance() * expected + run.plan.clients();
        String name = String.format(
                Locale.ROOT, "%,.0f/s were let through, within %.1f %%", perSecond, 100 * limit.tolerance());
        return check(
                name,
                kept ? 0 : 1,
                List.of(String.format(
                        Locale.ROOT, "%,d were let through in %.1f s, expected %,.0f", admitted, seconds, expected)));
    }

    private static Check accounted(RunState run) {
        long offered = run.counters.sent.sum();
        long admitted = run.counters.accepted.sum();
        long refused = run.counters.refused.sum();
        return check(
                String.format(
                        Locale.ROOT,
                        "%,d let through and %,d refused are the %,d that were offered",
                        admitted,
                        refused,
                        offered),
                Math.abs(offered - admitted - refused),
                List.of("of the others nothing was heard"));
    }

    /** Messages above the limit fill the queue at a steady rate. */
    private static Check filled(RunState run, Plan.Limit limit, Pacing.Rate offered) {
        double places = limit.pending() + (double) limit.times(run.plan.clients()) * limit.burst();
        double expected = places / (offered.perSecond() - perSecond(run, limit));
        long refused = run.firstRefusedNanos.get();
        double measured = (refused - run.firstSentNanos.get()) / 1e9;
        boolean kept = refused >= 0 && Math.abs(measured - expected) <= FILL_TOLERANCE * expected;
        return check(
                String.format(Locale.ROOT, "nothing was refused before %.1f s, within 5 %%", expected),
                kept ? 0 : 1,
                List.of(
                        refused < 0
                                ? "nothing was refused at all"
                                : String.format(Locale.ROOT, "the first was refused after %.2f s", measured)));
    }

    private static Check waited(Duration longest, Latencies latencies) {
        double millis = latencies.of(Latencies.Metric.ACK).getValueAtPercentile(99) / 1000.0;
        return check(
                String.format(Locale.ROOT, "p99 of what was let through is below %,d ms", longest.toMillis()),
                millis <= longest.toMillis() ? 0 : 1,
                List.of(String.format(Locale.ROOT, "it was %,.1f ms", millis)));
    }

    static Check check(String name, long count, List<String> examples) {
        return count == 0
                ? new Check(name, Status.PASS, 0, List.of())
                : new Check(name, Status.FAIL, count, examples.subList(0, Math.min(MAX_EXAMPLES, examples.size())));
    }
}
