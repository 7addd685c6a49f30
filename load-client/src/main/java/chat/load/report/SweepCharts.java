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
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Groups runs that differ in a setting by its value: repeats become a median and a range.
 *
 * @param setting the one with the most values, on the horizontal axis
 * @param values its values, in order
 * @param quantities whether all values are numbers, so that the axis is continuous
 * @param series combinations of the other settings that differ; a single empty one if there are none
 * @param valueOf index of each run's value
 * @param runs number of runs, by series, then value
 */
record SweepCharts(
        String setting,
        List<String> values,
        boolean quantities,
        List<String> series,
        List<Integer> valueOf,
        List<int[]> runs,
        List<Outcome> outcomes) {
    /** Differs in every run without meaning. */
    private static final Set<String> IGNORED = Set.of("seed");

    /**
     * One measured quantity.
     *
     * @param series one per combination, in the order of {@link SweepCharts#series}
     */
    record Outcome(String title, Unit unit, Kind kind, List<Spread> series) {}

    /** Medians and ranges by value; NaN without a run. */
    record Spread(double[] median, double[] low, double[] high) {}

    /** Null if the runs are not a sweep: fewer than three, or equal plans. */
    static @Nullable SweepCharts of(List<FinishedRun> runs) {
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
        for (String rate : rates(runs)) add(outcomes, cells, rate, Unit.PER_SECOND, Kind.LINES, run -> rate(run, rate));
        for (String latency : latencies(runs))
            add(
                    outcomes,
                    cells,
                    latency + ", p99",
                    Unit.MILLIS,
                    Kind.LOG,
                    run -> ComparisonPage.at(run, "latencyMillis", latency, "p99"));
        return new SweepCharts(
                setting,
                values,
                NaturalOrder.areQuantities(values),
                series,
                along.stream().map(values::indexOf).toList(),
                cells.stream()
                        .map(row -> row.stream().mapToInt(List::size).toArray())
                        .toList(),
                outcomes);
    }

    /** Measured rates; sends are an input, not a result. */
    private static Set<String> rates(List<FinishedRun> runs) {
        Set<String> rates = new LinkedHashSet<>();
        for (FinishedRun run : runs) rates.addAll(run.summary().path("rates").propertyNames());
        rates.remove("sends");
        return rates;
    }

    private static Set<String> latencies(List<FinishedRun> runs) {
        Set<String> latencies = new LinkedHashSet<>();
        for (FinishedRun run : runs)
            latencies.addAll(run.summary().path("latencyMillis").propertyNames());
        if (latencies.contains(RunRecord.ACK))
            latencies.retainAll(Set.of(RunRecord.ACK, RunRecord.OTHERS_DELIVERY, RunRecord.ROW));
        return latencies;
    }

    /** NaN if the run did not complete: it reports 0 then. */
    private static double rate(FinishedRun run, String name) {
        double rate = ComparisonPage.at(run, "rates", name);
        return rate > 0 ? rate : Double.NaN;
    }

    /** The value of each run, by setting. */
    private static Map<String, List<String>> varied(List<FinishedRun> runs) {
        // The sweep's own record is preferred.
        boolean recorded = runs.stream().noneMatch(run -> run.varied().isEmpty());
        Function<FinishedRun, Map<String, String>> source = recorded ? FinishedRun::varied : FinishedRun::plan;
        Set<String> settings = new LinkedHashSet<>();
        for (FinishedRun run : runs) settings.addAll(source.apply(run).keySet());
        Map<String, List<String>> varied = new LinkedHashMap<>();
        for (String setting : settings) {
            if (IGNORED.contains(setting)) continue;
            List<String> values = runs.stream()
                    .map(run -> source.apply(run).getOrDefault(setting, "none"))
                    .toList();
            if (values.stream().distinct().count() > 1) varied.put(setting, values);
        }
        return varied;
    }

    /** Whether one setting is determined by another: the number of texts follows from that of messages. */
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
