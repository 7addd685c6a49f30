package chat.load.lab.matrix;

import chat.load.lab.matrix.CellResult.LatencySpread;
import chat.load.lab.matrix.Figures.Latency;
import chat.load.lab.matrix.Result.Outcome;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Formats the results as a terminal table: one row per cell, with median, minimum and maximum. */
public final class ResultTable {
    private static final String USUAL_LATENCY = "frame to delivery at others";
    private static final List<String> USUAL_RATES = List.of("sends", "deliveries");

    private ResultTable() {}

    /** @param latency which one to show; null: to delivery at others, or else the first one available */
    public static String of(MatrixPlan plan, List<Result> results, @Nullable String latency) {
        List<CellResult> cells = CellResult.of(plan, results);
        if (cells.isEmpty()) return "Nothing was run.\n";
        String shown = latency(cells, latency);
        List<String> rates = rates(cells);
        List<String> names = List.copyOf(cells.getFirst().values().keySet());
        boolean cpu = cells.stream().anyMatch(cell -> cell.serverCpuMicrosPerDelivery() != null);
        TextTable table = new TextTable(names.size());
        boolean depth = cells.stream().anyMatch(cell -> cell.depthPeak() != null);
        table.row(header(names, rates, depth, cpu));
        for (CellResult cell : cells) table.row(row(cell, names, rates, shown, depth, cpu, cells.getFirst()));
        StringBuilder text = new StringBuilder("\n").append(table);
        text.append("medians, with the lowest and the highest run");
        if (shown != null) text.append("; mean, p50 and p99 in ms: ").append(shown);
        text.append("; fan-out: deliveries of a message");
        if (depth) text.append("; queue: messages that waited to be stored, in the worst second");
        if (cpu) text.append("; CPU: of all processes but the load client, in µs per delivery");
        text.append('\n');
        notes(text, cells);
        failures(text, results);
        return text.toString();
    }

    /** One run in a line. */
    static String line(Result result) {
        StringBuilder line = new StringBuilder("        ").append(label(result.outcome()));
        Figures figures = result.figures();
        if (figures != null) {
            figures.rates()
                    .forEach((name, rate) -> line.append("  ")
                            .append(number(rate, 0))
                            .append(' ')
                            .append(rateLabel(name)));
            Latency latency = figures.latencyMillis().get(USUAL_LATENCY);
            if (latency != null)
                line.append("  p50 ")
                        .append(number(latency.p50(), 1))
                        .append(" ms  p99 ")
                        .append(number(latency.p99(), 1))
                        .append(" ms");
        }
        if (!result.reason().isEmpty()) line.append("  ").append(result.reason());
        return line.append("  (")
                .append(number(result.seconds(), 0))
                .append(" s)")
                .toString();
    }

    private static @Nullable String latency(List<CellResult> cells, @Nullable String wanted) {
        Set<String> names = new LinkedHashSet<>();
        for (CellResult cell : cells) names.addAll(cell.latencyMillis().keySet());
        String preferred = wanted == null ? USUAL_LATENCY : wanted;
        return names.contains(preferred)
                ? preferred
                : names.stream().findFirst().orElse(null);
    }

    private static List<String> rates(List<CellResult> cells) {
        Set<String> all = new LinkedHashSet<>();
        for (CellResult cell : cells) all.addAll(cell.rates().keySet());
        List<String> usual = USUAL_RATES.stream().filter(all::contains).toList();
        return usual.isEmpty() ? List.copyOf(all) : usual;
    }

    private static String rateLabel(String rate) {
        return rate.equals("sends") ? "msg/s" : rate + "/s";
    }

    private static List<String> header(List<String> names, List<String> rates, boolean depth, boolean cpu) {
        List<String> header = new ArrayList<>(names);
        header.addAll(List.of("runs", "PASS", "FAIL", "not judged"));
        for (int i = 0; i < rates.size(); i++) {
            header.add(rateLabel(rates.get(i)));
            header.add("min-max");
            if (i == 0) header.add("ratio");
        }
        header.addAll(List.of("fan-out", "mean", "p50", "min-max", "p99", "min-max"));
        if (depth) header.add("queue");
        if (cpu) header.add("CPU");
        for (Promise promise : Promise.values()) header.add(promise.label);
        return header;
    }

    private static List<String> row(
            CellResult cell,
            List<String> names,
            List<String> rates,
            @Nullable String latency,
            boolean depth,
            boolean cpu,
            CellResult first) {
        List<String> row = new ArrayList<>();
        for (String name : names) row.add(cell.values().getOrDefault(name, ""));
        row.add(Integer.toString(cell.runs()));
        row.add(Integer.toString(cell.passed()));
        row.add(Integer.toString(cell.failed()));
        row.add(Integer.toString(cell.notJudged()));
        for (int i = 0; i < rates.size(); i++) {
            Spread rate = cell.rates().get(rates.get(i));
            spread(row, rate, 0);
            if (i == 0) row.add(ratio(rate, first.rates().get(rates.get(i))));
        }
        LatencySpread spreads = latency == null ? null : cell.latencyMillis().get(latency);
        row.add(median(cell.fanOut(), 1));
        row.add(median(spreads == null ? null : spreads.mean(), 1));
        spread(row, spreads == null ? null : spreads.p50(), 1);
        spread(row, spreads == null ? null : spreads.p99(), 1);
        if (depth) row.add(median(cell.depthPeak(), 0));
        if (cpu) row.add(median(cell.serverCpuMicrosPerDelivery(), 2));
        for (Promise promise : Promise.values()) row.add(number(cell.broken().getOrDefault(promise.label, 0L), 0));
        return row;
    }

    private static void spread(List<String> row, @Nullable Spread spread, int decimals) {
        row.add(median(spread, decimals));
        row.add(spread == null ? "-" : number(spread.min(), decimals) + "-" + number(spread.max(), decimals));
    }

    private static String median(@Nullable Spread spread, int decimals) {
        return spread == null ? "-" : number(spread.median(), decimals);
    }

    private static String ratio(@Nullable Spread rate, @Nullable Spread first) {
        return rate == null || first == null ? "-" : number(rate.median() / first.median(), 2);
    }

    /** Figures of servers with fewer guarantees are not comparable: lists what was not guaranteed or not checked. */
    private static void notes(StringBuilder text, List<CellResult> cells) {
        boolean same = cells.stream().map(CellResult::unchecked).distinct().count() == 1
                && cells.stream().map(CellResult::promises).distinct().count() == 1;
        for (CellResult cell : same ? cells.subList(0, 1) : cells) {
            if (same && cell.unchecked().isEmpty() && cell.promises().isEmpty()) continue;
            if (cell.rates().isEmpty()) continue;
            text.append(same ? "all" : String.join(" ", cell.values().values())).append(": ");
            if (!cell.promises().isEmpty())
                text.append("promises ")
                        .append(String.join(", ", cell.promises()))
                        .append("; ");
            text.append(
                            cell.unchecked().isEmpty()
                                    ? "every check was made"
                                    : "not checked: " + String.join(", ", cell.unchecked()))
                    .append('\n');
        }
    }

    private static void failures(StringBuilder text, List<Result> results) {
        for (Result result : results)
            if (result.outcome() != Outcome.PASS)
                text.append(label(result.outcome()))
                        .append("  ")
                        .append(result.folder())
                        .append(": ")
                        .append(result.reason())
                        .append('\n');
    }

    private static String label(Outcome outcome) {
        return outcome == Outcome.NOT_JUDGED ? "NOT JUDGED" : outcome.name();
    }

    private static String number(double value, int decimals) {
        return String.format(Locale.ROOT, "%,." + decimals + "f", value);
    }
}
