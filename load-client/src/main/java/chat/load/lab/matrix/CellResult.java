package chat.load.lab.matrix;

import chat.load.lab.matrix.Result.Outcome;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Combines all repeats of one cell. Figures of runs that failed a check count as well; the failures are listed beside
 * them.
 *
 * @param passed number of runs that passed
 * @param failed number of runs that failed a check
 * @param notJudged number of runs without a result
 * @param broken sums by kind of failure
 */
public record CellResult(
        Map<String, String> values,
        int passed,
        int failed,
        int notJudged,
        Map<String, Spread> rates,
        @Nullable Spread fanOut,
        Map<String, LatencySpread> latencyMillis,
        @Nullable Spread depthPeak,
        @Nullable Spread serverCpuMicrosPerDelivery,
        Map<String, Long> broken,
        Set<String> unchecked,
        Set<String> promises) {

    /** Milliseconds. */
    public record LatencySpread(Spread mean, Spread p50, Spread p99) {}

    int runs() {
        return passed + failed + notJudged;
    }

    /** Returns one result for each cell that has run, in the order of the plan. */
    static List<CellResult> of(MatrixPlan plan, List<Result> results) {
        Map<Cell, List<Result>> byCell = results.stream()
                .collect(Collectors.groupingBy(result -> result.run().cell()));
        return plan.cells().stream()
                .filter(byCell::containsKey)
                .map(cell -> of(cell, Objects.requireNonNull(byCell.get(cell))))
                .toList();
    }

    private static CellResult of(Cell cell, List<Result> results) {
        List<Figures> figures = results.stream()
                .map(Result::figures)
                .flatMap(known -> Stream.ofNullable(known))
                .toList();
        Map<String, Spread> rates = new LinkedHashMap<>();
        for (String name : names(figures, one -> one.rates().keySet()))
            put(rates, name, figures, one -> one.rates().get(name));
        Map<String, LatencySpread> latencies = new LinkedHashMap<>();
        for (String name : names(figures, one -> one.latencyMillis().keySet())) {
            Spread mean = ofLatency(figures, name, Figures.Latency::mean);
            Spread p50 = ofLatency(figures, name, Figures.Latency::p50);
            Spread p99 = ofLatency(figures, name, Figures.Latency::p99);
            if (mean != null && p50 != null && p99 != null) latencies.put(name, new LatencySpread(mean, p50, p99));
        }
        Map<String, Long> broken = new LinkedHashMap<>();
        for (Promise promise : Promise.values())
            broken.put(
                    promise.label,
                    figures.stream().mapToLong(one -> one.broken(promise)).sum());
        return new CellResult(
                cell.values(),
                count(results, Outcome.PASS),
                count(results, Outcome.FAIL),
                count(results, Outcome.NOT_JUDGED),
                rates,
                spread(figures, Figures::fanOut),
                latencies,
                spread(figures, Figures::depthPeak),
                spread(figures, Figures::serverCpuMicrosPerDelivery),
                broken,
                names(figures, Figures::unchecked),
                names(figures, Figures::promises));
    }

    private static int count(List<Result> results, Outcome outcome) {
        return (int)
                results.stream().filter(result -> result.outcome() == outcome).count();
    }

    private static Set<String> names(List<Figures> figures, Function<Figures, Iterable<String>> of) {
        Set<String> names = new LinkedHashSet<>();
        for (Figures one : figures) of.apply(one).forEach(names::add);
        return names;
    }

    private static void put(
            Map<String, Spread> spreads, String name, List<Figures> figures, Function<Figures, @Nullable Double> of) {
        Spread spread = spread(figures, of);
        if (spread != null) spreads.put(name, spread);
    }

    private static @Nullable Spread ofLatency(
            List<Figures> figures, String name, Function<Figures.Latency, Double> of) {
        return spread(figures, one -> {
            Figures.Latency latency = one.latencyMillis().get(name);
            return latency == null ? null : of.apply(latency);
        });
    }

    private static @Nullable Spread spread(List<Figures> figures, Function<Figures, @Nullable Double> of) {
        List<Double> values = new ArrayList<>();
        for (Figures one : figures) {
            Double value = of.apply(one);
            if (value != null) values.add(value);
        }
        return Spread.of(values);
    }
}
