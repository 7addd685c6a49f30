package chat.load.report;

import chat.load.check.Verdict;
import chat.load.check.Verdict.Check;
import java.util.Formatter;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Formats a run as a short table for a terminal; the report has the details. */
public final class SummaryTable {
    private static final int WIDTH = 100;
    private static final String INDENT = " ".repeat(13);

    private SummaryTable() {}

    public static String of(RunRecord record) {
        Summary summary = Summary.of(record);
        StringBuilder text = new StringBuilder(4096);
        Formatter out = new Formatter(text, Locale.ROOT);
        run(out, summary, record.plan());
        latencies(out, summary);
        findings(out, summary);
        verdict(out, summary.verdict(), summary.messageTypes());
        return text.toString();
    }

    private static void run(Formatter out, Summary summary, RunPlan plan) {
        out.format("%nplan         %s %s: %s%n", plan.scenario(), summary.run(), plan.headline());
        StringBuilder line = new StringBuilder();
        for (RunPlan.Setting setting : plan.settings()) {
            String words = setting.label() + ' ' + setting.value();
            if (!line.isEmpty() && line.length() + words.length() > WIDTH - INDENT.length()) {
                out.format("%s%s%n", INDENT, line);
                line.setLength(0);
            }
            line.append(line.isEmpty() ? "" : "  ").append(words);
        }
        if (!line.isEmpty()) out.format("%s%s%n", INDENT, line);
        out.format("servers      %s%n", String.join(" ", summary.urls()));
        if (summary.sharesMachine())
            out.format("%sthe generator shares this machine's cores with them: figures include both%n", INDENT);
        RunRecord.WarmUp warmUp = summary.warmUp();
        if (warmUp != null)
            out.format(
                    "warm-up      %s  %,d connections  %,d of %,d accepted in %.2f s  %,.0f/s, in none of the figures below%n",
                    warmUp.rounds() == 1 ? "1 round" : warmUp.rounds() + " rounds",
                    warmUp.connections(),
                    warmUp.accepted(),
                    warmUp.sent(),
                    warmUp.seconds(),
                    warmUp.acceptedPerSecond());
        Summary.Seconds seconds = summary.seconds();
        out.format(
                "time         join %.2f s  chat %.2f s  storage %.2f s  all %.2f s%n",
                seconds.join(), seconds.chat(), seconds.storage(), seconds.all());
        out.format(
                "rate         %,.0f sends/s  %,.0f accepted/s  %,.0f deliveries/s%n",
                summary.rates().sends(),
                summary.rates().accepted(),
                summary.rates().deliveries());
        Summary.Counts counts = summary.counts();
        out.format(
                "connections  %,d reconnects  %,d failed connects  %,d gaps%n",
                counts.reconnects(), counts.failedConnects(), counts.gaps());
        out.format(
                "retries      %,d after UNAVAILABLE  %,d after a lost connection%n",
                counts.unavailableRetries(), counts.resends());
    }

    private static void latencies(Formatter out, Summary summary) {
        if (summary.latencyMillis().isEmpty()) return;
        out.format(
                "%n%-28s %12s %9s %9s %9s %9s %9s %9s%n",
                "latency, ms", "count", "mean", "p50", "p95", "p99", "p99.9", "max");
        summary.latencyMillis()
                .forEach((name, p) -> out.format(
                        "%-28s %,12d %9.2f %9.2f %9.2f %9.2f %9.2f %9.2f%n",
                        name, p.count(), p.mean(), p.p50(), p.p95(), p.p99(), p.p999(), p.max()));
    }

    private static void findings(Formatter out, Summary summary) {
        String heading = "where the time goes";
        for (Finding finding : summary.findings()) {
            if (finding.level() == Finding.Level.INFO) continue;
            if (!heading.isEmpty()) out.format("%n%s%n", heading);
            heading = "";
            out.format(
                    "  %-9s  %s: %s%n",
                    finding.level().name().toLowerCase(Locale.ROOT), finding.resource(), finding.text());
        }
    }

    private static void verdict(Formatter out, Verdict verdict, Map<String, Long> sends) {
        out.format(
                "%nsends        %,d  (%s)%n",
                sends.values().stream().mapToLong(Long::longValue).sum(),
                sends.entrySet().stream()
                        .map(type -> String.format(Locale.ROOT, "%,d %s", type.getValue(), type.getKey()))
                        .collect(Collectors.joining(", ")));
        out.format(
                "TEXTs        sent %,d  accepted %,d  refused %,d  unknown %,d (%,d of them stored)  stored %,d%n",
                verdict.invoked(),
                verdict.accepted(),
                verdict.refused(),
                verdict.unknown(),
                verdict.recovered(),
                verdict.stored());
        out.format(
                "deliveries   expected %,d  received %,d  missing %,d  duplicate %,d  out of order %,d%n",
                verdict.expected(), verdict.received(), verdict.missing(), verdict.doubled(), verdict.outOfOrder());
        for (Check check : verdict.checks()) {
            switch (check.status()) {
                case PASS -> out.format("  PASS  %s%n", check.name());
                case SKIPPED ->
                    out.format("  ----  %s: not checked, %s%n", check.name(), String.join(", ", check.examples()));
                case FAIL -> {
                    out.format("  FAIL  %s: %,d%n", check.name(), check.count());
                    for (String example : check.examples()) out.format("          %s%n", example);
                }
            }
        }
        out.format("%s%n", verdict.passed() ? "PASS" : "FAIL");
    }
}
