package chat.load.report;

import chat.load.check.Verdict;
import chat.load.check.Verdict.Check;
import chat.load.report.RunRecord.MessageCount;
import chat.load.report.RunRecord.PlatformMetrics;
import java.util.DoubleSummaryStatistics;
import java.util.Formatter;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Formats a run as a short table for a terminal; the report has the details. */
public final class SummaryTable {
    private static final int WIDTH = 100;
    /** The run folder lists more rooms. */
    private static final int MAX_ROOMS = 40;

    private static final int ROOMS_PER_LINE = 5;
    private static final String INDENT = " ".repeat(13);

    private SummaryTable() {}

    public static String of(RunRecord record) {
        Summary summary = Summary.of(record);
        StringBuilder text = new StringBuilder(4096);
        Formatter out = new Formatter(text, Locale.ROOT);
        run(out, summary, record.plan());
        latencies(out, summary);
        findings(out, summary);
        rooms(out, summary);
        platform(out, record.platform());
        verdict(out, summary.verdict());
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
        messages(out, summary);
        Summary.Counts counts = summary.counts();
        out.format(
                "connections  %,d opened  %,d reconnections  %,d failed  %,d gaps%n",
                counts.connections(), counts.reconnects(), counts.failedConnects(), counts.gaps());
        out.format(
                "retries      %,d after UNAVAILABLE  %,d after a lost connection%n",
                counts.unavailableRetries(), counts.resends());
        if (counts.duplicates() > 0) out.format("duplicates   %,d TEXTs sent twice%n", counts.duplicates());
    }

    private static void latencies(Formatter out, Summary summary) {
        if (summary.latencyMillis().isEmpty()) return;
        out.format(
                "%n%-27s %11s %8s %8s %8s %8s %8s %8s %8s%n",
                "latency, ms", "count", "mean", "min", "p50", "p95", "p99", "p99.9", "max");
        summary.latencyMillis()
                .forEach((name, p) -> out.format(
                        "%-27s %,11d %8.2f %8.2f %8.2f %8.2f %8.2f %8.2f %8.2f%n",
                        name, p.count(), p.mean(), p.min(), p.p50(), p.p95(), p.p99(), p.p999(), p.max()));
        LittlesLaw law = summary.littlesLaw();
        if (law != null)
            out.format(
                    "Little's law: %,.1f in flight measured, %,.1f predicted (%,.0f/s x %.2f ms): ratio %.2f%n",
                    law.measured(), law.predicted(), law.perSecond(), law.meanMillis(), law.ratio());
    }

    private static void rooms(Formatter out, Summary summary) {
        List<Summary.RoomRate> rooms = summary.rooms();
        if (rooms.isEmpty()) return;
        DoubleSummaryStatistics rates =
                rooms.stream().mapToDouble(Summary.RoomRate::acceptedPerSecond).summaryStatistics();
        out.format(
                "%n%,d rooms: %,.1f to %,.1f accepted/s each, mean %,.1f%n",
                rooms.size(), rates.getMin(), rates.getMax(), rates.getAverage());
        if (rooms.size() > MAX_ROOMS) return;
        int names = rooms.stream()
                .mapToInt(room -> roomName(room, summary).length())
                .max()
                .orElse(1);
        for (int i = 0; i < rooms.size(); i++) {
            out.format(
                    "  %" + names + "s %,9.1f",
                    roomName(rooms.get(i), summary),
                    rooms.get(i).acceptedPerSecond());
            if (i % ROOMS_PER_LINE == ROOMS_PER_LINE - 1 || i == rooms.size() - 1) out.format("%n");
        }
    }

    /** Without the run's name, which all rooms of the run's own begin with. */
    private static String roomName(Summary.RoomRate room, Summary summary) {
        String prefix = summary.run() + "-";
        return room.room().startsWith(prefix) ? room.room().substring(prefix.length()) : room.room();
    }

    /** One line per group of results; metrics.json has all of them. */
    private static void platform(Formatter out, PlatformMetrics metrics) {
        switch (metrics) {
            case PlatformMetrics.Answer answer -> {
                out.format("%nplatform     %s%n", answer.url());
                for (String line : MetricsText.lines(answer.body(), WIDTH - INDENT.length()))
                    out.format("%s%s%n", INDENT, line);
            }
            case PlatformMetrics.None none -> out.format("%nplatform     no metrics: %s%n", none.reason());
        }
    }

    private static void messages(Formatter out, Summary summary) {
        long sent = 0;
        long successful = 0;
        for (MessageCount count : summary.messages().values()) {
            sent += count.sent();
            successful += count.successful();
        }
        double wall = summary.seconds().join() + summary.seconds().chat();
        out.format("messages     %,d  successful %,d  failed %,d", sent, successful, sent - successful);
        if (summary.seconds().chat() > 0) out.format("  in %.2f s: %,.0f/s", wall, sent / wall);
        out.format("%n");
        double all = Math.max(1, sent);
        out.format(
                "%s%s%n",
                INDENT,
                summary.messages().entrySet().stream()
                        .map(type -> String.format(
                                Locale.ROOT,
                                "%s %,d (%.1f %%)",
                                type.getKey(),
                                type.getValue().sent(),
                                100 * type.getValue().sent() / all))
                        .collect(Collectors.joining("  ")));
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

    private static void verdict(Formatter out, Verdict verdict) {
        out.format(
                "%nTEXTs        sent %,d  accepted %,d  refused %,d  unknown %,d (%,d of them stored)  stored %,d%n",
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
