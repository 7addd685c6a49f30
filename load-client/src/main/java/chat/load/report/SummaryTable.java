package chat.load.report;

import chat.load.check.Verdict;
import chat.load.check.Verdict.Check;
import java.util.Formatter;
import java.util.Locale;

/** The summary as a short table for a terminal. */
public final class SummaryTable {
    private SummaryTable() {}

    public static String of(Summary summary) {
        StringBuilder text = new StringBuilder(4096);
        Formatter out = new Formatter(text, Locale.ROOT);
        run(out, summary);
        latencies(out, summary);
        verdict(out, summary.verdict());
        return text.toString();
    }

    private static void run(Formatter out, Summary summary) {
        Summary.Planned plan = summary.plan();
        out.format(
                "%nplan         %s %s: %,d rooms x %,d users x %,d messages = %,d TEXTs%n",
                plan.scenario(), summary.run(), plan.rooms(), plan.users(), plan.messages(), plan.texts());
        out.format(
                "             window %d  payload %d  placement %s  seed %d%n",
                plan.window(), plan.payload(), plan.placement(), plan.seed());
        out.format("servers      %s%n", String.join(" ", summary.urls()));
        if (summary.sharesMachine())
            out.format("             the generator shares this machine's cores with them: figures include both%n");
        Summary.Seconds seconds = summary.seconds();
        out.format(
                "time         join %.2f s  chat %.2f s  storage %.2f s  all %.2f s%n",
                seconds.join(), seconds.chat(), seconds.storage(), seconds.all());
        out.format(
                "rate         %,.0f sends/s  %,.0f deliveries/s%n",
                summary.rates().sends(), summary.rates().deliveries());
        Summary.Counts counts = summary.counts();
        out.format(
                "connections  %,d reconnects  %,d failed connects  %,d gaps%n",
                counts.reconnects(), counts.failedConnects(), counts.gaps());
        out.format(
                "retries      %,d after UNAVAILABLE  %,d after a lost connection%n",
                counts.unavailableRetries(), counts.resends());
    }

    private static void latencies(Formatter out, Summary summary) {
        out.format(
                "%n%-28s %12s %9s %9s %9s %9s %9s %9s%n",
                "latency, ms", "count", "mean", "p50", "p95", "p99", "min", "max");
        summary.latencyMillis()
                .forEach((name, p) -> out.format(
                        "%-28s %,12d %9.2f %9.2f %9.2f %9.2f %9.2f %9.2f%n",
                        name, p.count(), p.mean(), p.p50(), p.p95(), p.p99(), p.min(), p.max()));
    }

    private static void verdict(Formatter out, Verdict verdict) {
        out.format(
                "%nsent %,d  accepted %,d  refused %,d  unknown %,d (%,d of them stored)  stored %,d  received %,d%n",
                verdict.invoked(),
                verdict.accepted(),
                verdict.refused(),
                verdict.unknown(),
                verdict.recovered(),
                verdict.stored(),
                verdict.received());
        for (Check check : verdict.checks()) {
            switch (check.status()) {
                case PASS -> out.format("  PASS  %s%n", check.name());
                case SKIPPED -> out.format("  ----  %s: not checked, storage was not asked%n", check.name());
                case FAIL -> {
                    out.format("  FAIL  %s: %,d%n", check.name(), check.count());
                    for (String example : check.examples()) out.format("          %s%n", example);
                }
            }
        }
        out.format("%s%n", verdict.passed() ? "PASS" : "FAIL");
    }
}
