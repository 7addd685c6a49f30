package chat.load.driver;

import chat.load.check.Verdict.Check;
import chat.load.check.Verdict.Status;
import chat.load.plan.Guests;
import chat.load.plan.Plan;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What a plan expects of the servers besides that nothing is lost. */
final class Expectations {
    private static final int MAX_EXAMPLES = 5;

    private Expectations() {}

    /** @param chatSeconds 0 where the chat did not come to its end: then there is nothing to say */
    static List<Check> of(RunState run, @Nullable Knocking crowd, double chatSeconds) {
        List<Check> checks = new ArrayList<>();
        if (chatSeconds <= 0) return checks;
        if (run.plan.guests().misbehave()) {
            checks.add(closed(run));
            long others = run.counters.reconnects.sum();
            checks.add(check(
                    "nobody else lost a connection", others, List.of(others + " connections of others were lost")));
        }
        Plan.Limit limit = run.plan.limit();
        if (limit != null) checks.add(admitted(run, limit));
        if (crowd != null) checks.addAll(crowd.checks());
        return checks;
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

    private static Check admitted(RunState run, Plan.Limit limit) {
        double perSecond = limit.perSecond() > 0 ? limit.perSecond() : run.announcedRate;
        double seconds = run.plan.duration() == null ? 0 : run.plan.duration().toNanos() / 1e9;
        double expected = run.plan.clients() * (perSecond * seconds + limit.burst());
        long admitted = run.counters.accepted.sum();
        boolean kept = Math.abs(admitted - expected) <= limit.tolerance() * expected + run.plan.clients();
        String name = String.format(
                Locale.ROOT,
                "%,.0f/s were let through, within %.1f %%",
                perSecond * run.plan.clients(),
                100 * limit.tolerance());
        return check(
                name,
                kept ? 0 : 1,
                List.of(String.format(
                        Locale.ROOT, "%,d were let through in %.1f s, expected %,.0f", admitted, seconds, expected)));
    }

    static Check check(String name, long count, List<String> examples) {
        return count == 0
                ? new Check(name, Status.PASS, 0, List.of())
                : new Check(name, Status.FAIL, count, examples.subList(0, Math.min(MAX_EXAMPLES, examples.size())));
    }
}
