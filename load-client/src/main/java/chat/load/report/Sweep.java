package chat.load.report;

import chat.load.report.ChartCatalogue.Kind;
import chat.load.report.ChartCatalogue.Unit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Runs that differ in a setting, grouped by its value: repeats become a median and a range.
 *
 * @param setting the one that takes most values, along the horizontal axis
 * @param values its values, in their order
 * @param series combinations of the other settings that differ; a single empty one where there are none
 * @param valueOf for each run, which of the values it has
 * @param runs how many runs there are, by series, then value
 */
record Sweep(
        String setting,
        List<String> values,
        List<String> series,
        List<Integer> valueOf,
        List<int[]> runs,
        List<Outcome> outcomes) {
    /** Differs in every run, and means nothing. */
    private static final Set<String> IGNORED = Set.of("seed");

    /**
     * What came of it.
     *
     * @param series one per combination, in the order of {@link Sweep#series}
     */
    record Outcome(String title, Unit unit, Kind kind, List<Spread> series) {}

    /** Medians and ranges by value; NaN where there is no run. */
    record Spread(double[] median, double[] low, double[] high) {}

    /** Null where the runs are no sweep: fewer than three, or nothing in their plans differs. */
    static @Nullable Sweep of(List<FinishedRun> runs) {
        Map<String, List<String>> varied = varied(runs);
        if (runs.size() < 3 || varied.isEmpty()) return null;
        String setting = "";
        long most = 0;
        for (Map.Entry<String, List<String>> candidate : varied.entrySet()) {
            long distinct = candidate.getValue().stream().distinct().count();
            if (distinct > most) {
                setting = candidate.getKey();
                most = distinct;
            }
        }
        List<String> along = varied.getOrDefault(setting, List.of());
        varied.remove(setting);
        varied.values().removeIf(other -> follows(other, along));
        List<String> combinations = combinations(varied, runs.size());
        List<String> values = NaturalOrder.distinct(along);
        List<String> series = NaturalOrder.distinct(combinations);

        List<List<List<FinishedRun>>> cells = new ArrayList<>();
        for (String one : series) {
            List<List<FinishedRun>> row = new ArrayList<>();
            for (String value : values) {
                List<FinishedRun> cell = new ArrayList<>();
                for (int i = 0; i < runs.size(); i++)
                    if (combinations.get(i).equals(one) && along.get(i).equals(value)) cell.add(runs.get(i));
                row.add(cell);
            }
            cells.add(row);
        }
        List<Outcome> outcomes = new ArrayList<>();
        add(outcomes, cells, "Accepted", Unit.PER_SECOND, Kind.LINES, Sweep::accepted);
        add(
                outcomes,
                cells,
                "Deliveries",
                Unit.PER_SECOND,
                Kind.LINES,
                run -> ComparisonPage.at(run, "rates", "deliveries"));
        add(outcomes, cells, "Frame to ACK, p99", Unit.MILLIS, Kind.LOG, run -> p99(run, RunRecord.ACK));
        add(
                outcomes,
                cells,
                "Frame to delivery at others, p99",
                Unit.MILLIS,
                Kind.LOG,
                run -> p99(run, RunRecord.OTHERS_DELIVERY));
        add(outcomes, cells, "Frame to row, p99", Unit.MILLIS, Kind.LOG, run -> p99(run, RunRecord.ROW));
        return new Sweep(
                setting,
                values,
                series,
                along.stream().map(values::indexOf).toList(),
                cells.stream()
                        .map(row -> row.stream().mapToInt(List::size).toArray())
                        .toList(),
                outcomes);
    }

    /** Summaries did not always say it themselves. */
    static double accepted(FinishedRun run) {
        double rate = ComparisonPage.at(run, "rates", "accepted");
        double chat = ComparisonPage.at(run, "seconds", "chat");
        return Double.isFinite(rate) || !(chat > 0) ? rate : ComparisonPage.at(run, "verdict", "accepted") / chat;
    }

    private static double p99(FinishedRun run, String latency) {
        return ComparisonPage.at(run, "latencyMillis", latency, "p99");
    }

    /** By setting, the value of each run. */
    private static Map<String, List<String>> varied(List<FinishedRun> runs) {
        Set<String> settings = new LinkedHashSet<>();
        for (FinishedRun run : runs) settings.addAll(run.plan().keySet());
        Map<String, List<String>> varied = new LinkedHashMap<>();
        for (String setting : settings) {
            if (IGNORED.contains(setting)) continue;
            List<String> values = runs.stream()
                    .map(run -> run.plan().getOrDefault(setting, "none"))
                    .toList();
            if (values.stream().distinct().count() > 1) varied.put(setting, values);
        }
        return varied;
    }

    /** Whether a setting takes one value only for each of another: the number of texts follows from that of messages. */
    private static boolean follows(List<String> values, List<String> leader) {
        Map<String, String> seen = new LinkedHashMap<>();
        for (int i = 0; i < values.size(); i++) {
            String before = seen.putIfAbsent(leader.get(i), values.get(i));
            if (before != null && !before.equals(values.get(i))) return false;
        }
        return true;
    }

    private static List<String> combinations(Map<String, List<String>> varied, int runs) {
        List<String> combinations = new ArrayList<>(runs);
        for (int i = 0; i < runs; i++) {
            StringJoiner words = new StringJoiner(", ");
            for (Map.Entry<String, List<String>> setting : varied.entrySet())
                words.add(setting.getKey() + " " + setting.getValue().get(i));
            combinations.add(words.toString());
        }
        return combinations;
    }

    private static void add(
            List<Outcome> outcomes,
            List<List<List<FinishedRun>>> cells,
            String title,
            Unit unit,
            Kind kind,
            ToDoubleFunction<FinishedRun> figure) {
        List<Spread> series = new ArrayList<>();
        boolean measured = false;
        for (List<List<FinishedRun>> row : cells) {
            Spread spread = new Spread(new double[row.size()], new double[row.size()], new double[row.size()]);
            for (int i = 0; i < row.size(); i++) {
                double[] figures = row.get(i).stream()
                        .mapToDouble(figure)
                        .filter(Double::isFinite)
                        .sorted()
                        .toArray();
                int n = figures.length;
                measured |= n > 0;
                spread.median()[i] = n == 0 ? Double.NaN : (figures[(n - 1) / 2] + figures[n / 2]) / 2;
                spread.low()[i] = n == 0 ? Double.NaN : figures[0];
                spread.high()[i] =
                        n == 0 ? Double.NaN : Arrays.stream(figures).max().orElse(Double.NaN);
            }
            series.add(spread);
        }
        if (measured) outcomes.add(new Outcome(title, unit, kind, series));
    }
}
