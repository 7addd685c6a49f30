package chat.load.lab.query;

import chat.load.check.Verdict.Check;
import chat.load.lab.query.QuerySummary.Asked;
import chat.load.report.Percentiles;
import java.util.Formatter;
import java.util.Locale;
import java.util.Objects;

/** Formats the summary as a short table for a terminal. */
public final class QueryTable {
    private QueryTable() {}

    public static String of(QuerySummary summary) {
        StringBuilder text = new StringBuilder(4096);
        Formatter out = new Formatter(text, Locale.ROOT);
        QuerySummary.Planned plan = summary.plan();
        out.format(
                "%nasked        %,d rooms, %,d users, %s to %s  seed %d%n",
                plan.rooms(), plan.users(), plan.from(), plan.to(), plan.seed());
        out.format(
                "             %s, %d at once%n",
                plan.askedPerSecond() > 0
                        ? String.format(
                                Locale.ROOT,
                                "open loop, %,.1f/s at intended times, latency from then on",
                                plan.askedPerSecond())
                        : "closed loop",
                plan.concurrency());
        out.format("servers      %s%n", String.join(" ", summary.urls()));
        if (summary.sharesMachine())
            out.format("             the generator shares this machine's cores with them: figures include both%n");
        out.format(
                "time         discovery %.2f s  warm-up %.2f s  measured %.2f s  all %.2f s%n",
                summary.seconds().discovery(),
                summary.seconds().warmup(),
                summary.seconds().measured(),
                summary.seconds().all());
        out.format(
                "rate         %,.1f answers/s  %,.0f rows/s%n",
                summary.rates().answers(), summary.rates().rows());
        queries(out, summary);
        ingest(out, summary);
        verdict(out, summary);
        return text.toString();
    }

    static String unsupported(String name, String reason) {
        return name + ": not supported by this server (" + reason + ")";
    }

    private static void queries(Formatter out, QuerySummary summary) {
        out.format(
                "%n%-14s %9s %9s %9s %9s %9s %9s %9s %9s  %-6s %s%n",
                "latency, ms", "answers", "rows each", "mean", "p50", "p95", "p99", "max", "target", "met", "status");
        for (Asked asked : summary.queries()) {
            Percentiles p = Objects.requireNonNull(summary.latencyMillis().get(asked.name()));
            Boolean met = asked.met();
            out.format(
                    "%-14s %,9d %9.1f %9.2f %9.2f %9.2f %9.2f %9.2f %9s  %-6s %s%n",
                    asked.name(),
                    asked.answers(),
                    asked.rowsPerAnswer(),
                    p.mean(),
                    p.p50(),
                    p.p95(),
                    p.p99(),
                    p.max(),
                    asked.targetMillis() > 0 ? String.format(Locale.ROOT, "< %.0f", asked.targetMillis()) : "-",
                    met == null ? "-" : met ? "yes" : "NO",
                    statuses(asked));
        }
        summary.unsupported().forEach((name, reason) -> out.format("%s%n", unsupported(name, reason)));
    }

    private static String statuses(Asked asked) {
        StringBuilder text = new StringBuilder();
        asked.statuses()
                .forEach((status, count) -> text.append(text.isEmpty() ? "" : "  ")
                        .append(status)
                        .append(" x ")
                        .append(count));
        if (asked.retries() > 0) text.append("  asked again x ").append(asked.retries());
        return text.toString();
    }

    private static void ingest(Formatter out, QuerySummary summary) {
        QuerySummary.Ingest ingest = summary.ingest();
        if (ingest == null) return;
        out.format("%nat the same time: %s%n", ingest.command());
        Double sends = ingest.messagesPerSecond();
        Double deliveries = ingest.deliveriesPerSecond();
        out.format(
                "             %s%s%s%n",
                ingest.exitCode() == 0 ? "PASS" : "FAIL, exit code " + ingest.exitCode(),
                sends == null ? "" : String.format(Locale.ROOT, "  %,.0f sends/s", sends),
                deliveries == null ? "" : String.format(Locale.ROOT, "  %,.0f deliveries/s", deliveries));
        if (ingest.exitCode() != 0) for (String line : ingest.lastLines()) out.format("             | %s%n", line);
    }

    private static void verdict(Formatter out, QuerySummary summary) {
        out.format("%n");
        for (Check check : summary.verdict().checks()) {
            switch (check.status()) {
                case PASS -> out.format("  PASS  %s%n", check.name());
                case SKIPPED -> out.format("  ----  %s: not checked%n", check.name());
                case FAIL -> {
                    out.format("  FAIL  %s: %,d%n", check.name(), check.count());
                    for (String example : check.examples()) out.format("          %s%n", example);
                }
            }
        }
        out.format("%s%n", summary.passed() ? "PASS" : "FAIL");
    }
}
