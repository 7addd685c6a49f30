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
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Computes the page of several runs; {@code comparison.js} only draws it. */
final class ComparisonPage {
    private static final List<String> SCRIPTS = List.of("dom.js", "format.js", "chart.js", "comparison.js");

    private ComparisonPage() {}

    static String html(List<FinishedRun> runs) {
        List<Difference> varied = differences(runs, FinishedRun::varied);
        List<Difference> plan = differences(runs, FinishedRun::plan);
        // Varied settings are also in the plans; showing them once is enough.
        plan.removeIf(setting -> varied.stream().anyMatch(one -> one.values().equals(setting.values())));
        View view = new View(
                runs.stream().map(Head::of).toList(),
                figures(runs),
                varied,
                plan,
                differences(runs, FinishedRun::environment),
                overlays(runs),
                SweepCharts.of(runs));
        return new Page("Comparison of " + runs.size() + " runs", SCRIPTS, CompactNumbers.JSON.writeValueAsString(view))
                .html();
    }

    private record View(
            List<Head> runs,
            List<Figure> figures,
            List<Difference> varied,
            List<Difference> plan,
            List<Difference> environment,
            Overlays overlays,
            @Nullable SweepCharts sweep) {}

    private record Head(
            String name,
            boolean passed,
            String scenario,
            String headline,
            String run,
            String startedAt,
            String commit) {
        static Head of(FinishedRun run) {
            JsonNode summary = run.summary();
            return new Head(
                    run.name(),
                    summary.path("passed").asBoolean(),
                    // Older summaries have it in the plan only.
                    summary.path("scenario")
                            .asString(summary.path("plan").path("scenario").asString("")),
                    summary.path("headline").asString(""),
                    summary.path("run").asString(""),
                    summary.path("startedAt").asString(""),
                    summary.path("commit").asString(""));
        }
    }

    /**
     * A row of figures.
     *
     * @param better 1: more is better, -1: less is better, 0: neither
     * @param values one per run, NaN if not measured
     * @param key whether it is shown even with little space
     */
    private record Figure(String label, Unit unit, int better, boolean key, double[] values) {}

    /**
     * A value that differs between runs.
     *
     * @param values one per run, empty if it has none
     */
    private record Difference(String label, List<String> values) {}

    /**
     * Charts of all runs, with the beginning of each chat as second 0.
     *
     * @param from first second of all
     */
    private record Overlays(int from, int seconds, List<Overlay> charts) {}

    /**
     * One such chart.
     *
     * @param columns one per run
     */
    private record Overlay(String title, Unit unit, Kind kind, List<double[]> columns) {}

    private static List<Figure> figures(List<FinishedRun> runs) {
        List<Figure> figures = new ArrayList<>();
        add(figures, runs, "breaches", Unit.COUNT, -1, true, ComparisonPage::breaches);
        Set<String> rates = new LinkedHashSet<>();
        Set<String> latencies = new LinkedHashSet<>();
        Set<String> processes = new LinkedHashSet<>();
        for (FinishedRun run : runs) {
            rates.addAll(run.summary().path("rates").propertyNames());
            latencies.addAll(run.summary().path("latencyMillis").propertyNames());
            processes.addAll(run.summary().path("processes").propertyNames());
        }
        for (String rate : rates)
            add(figures, runs, rate, Unit.PER_SECOND, 1, !rate.equals("sends"), run -> at(run, "rates", rate));
        boolean chat = latencies.contains(RunRecord.ACK);
        for (String latency : latencies) {
            boolean key = !chat || latency.equals(RunRecord.ACK) || latency.equals(RunRecord.ROW);
            for (String percentile : List.of("p50", "p95", "p99", "max"))
                add(
                        figures,
                        runs,
                        latency + ", " + percentile,
                        Unit.MILLIS,
                        -1,
                        key && (percentile.equals("p99") || (chat && percentile.equals("p50"))),
                        run -> measured(run, latency) ? at(run, "latencyMillis", latency, percentile) : Double.NaN);
        }
        add(figures, runs, "reconnects", Unit.COUNT, -1, false, run -> at(run, "counts", "reconnects"));
        add(figures, runs, "retries", Unit.COUNT, -1, false, run -> at(run, "counts", "unavailableRetries"));
        add(figures, runs, "gaps", Unit.COUNT, -1, false, run -> at(run, "counts", "gaps"));
        add(figures, runs, "chat, seconds", Unit.SECONDS, 0, false, run -> at(run, "seconds", "chat"));
        for (String process : processes) {
            add(
                    figures,
                    runs,
                    process + ", cores",
                    Unit.CORES,
                    0,
                    false,
                    run -> at(run, "processes", process, "cpuMean"));
            add(
                    figures,
                    runs,
                    process + ", cores, deviation",
                    Unit.CORES,
                    0,
                    false,
                    run -> at(run, "processes", process, "cpuDeviation"));
            add(
                    figures,
                    runs,
                    process + ", memory",
                    Unit.BYTES,
                    0,
                    false,
                    run -> at(run, "processes", process, "rssMax"));
        }
        return figures;
    }

    /** Older summaries contain unmeasured latencies with zeros. */
    private static boolean measured(FinishedRun run, String latency) {
        return at(run, "latencyMillis", latency, "count") > 0;
    }

    private static double breaches(FinishedRun run) {
        double all = 0;
        for (JsonNode check : run.summary().path("verdict").path("checks"))
            all += check.path("count").asDouble(0);
        return all;
    }

    static double at(FinishedRun run, String... path) {
        JsonNode node = run.summary();
        for (String name : path) node = node.path(name);
        return node.isNumber() ? node.asDouble() : Double.NaN;
    }

    private static void add(
            List<Figure> figures,
            List<FinishedRun> runs,
            String label,
            Unit unit,
            int better,
            boolean key,
            Function<FinishedRun, Double> value) {
        double[] values = runs.stream().mapToDouble(value::apply).toArray();
        if (Arrays.stream(values).anyMatch(Double::isFinite)) figures.add(new Figure(label, unit, better, key, values));
    }

    private static List<Difference> differences(
            List<FinishedRun> runs, Function<FinishedRun, Map<String, String>> settings) {
        Set<String> labels = new LinkedHashSet<>();
        for (FinishedRun run : runs) labels.addAll(settings.apply(run).keySet());
        List<Difference> differences = new ArrayList<>();
        for (String label : labels) {
            List<String> values = runs.stream()
                    .map(run -> settings.apply(run).getOrDefault(label, ""))
                    .toList();
            if (values.stream().distinct().count() > 1) differences.add(new Difference(label, values));
        }
        return differences;
    }

    private static Overlays overlays(List<FinishedRun> runs) {
        int from = 0;
        int to = 0;
        for (FinishedRun run : runs) {
            from = Math.min(from, -run.chatBegin());
            to = Math.max(to, run.samples().seconds() - run.chatBegin());
        }
        Map<String, Overlay> charts = new LinkedHashMap<>();
        int begin = from;
        int seconds = to - from;
        Shape[] shapes = {
            new Shape("Accepted", Unit.PER_SECOND, Kind.LINES, samples -> samples.values("client.accepted")),
            new Shape("Deliveries", Unit.PER_SECOND, Kind.LINES, samples -> samples.values("client.deliveries")),
            new Shape("Frame to ACK, p99", Unit.MILLIS, Kind.LOG, samples -> samples.values("client.ack.p99")),
            new Shape(
                    "Frame to delivery at others, p99",
                    Unit.MILLIS,
                    Kind.LOG,
                    samples -> samples.values("client.others.p99")),
            new Shape("Frame to row, p99", Unit.MILLIS, Kind.LOG, samples -> samples.values("client.row.p99")),
            new Shape("CPU of the platform", Unit.CORES, Kind.LINES, samples -> sum(samples, "cpu")),
            new Shape("CPU of the generator", Unit.CORES, Kind.LINES, samples -> samples.values("generator.cpu")),
            new Shape("Memory of the platform", Unit.BYTES, Kind.LINES, samples -> sum(samples, "rss")),
            new Shape("Consumer lag", Unit.SECONDS, Kind.LINES, samples -> samples.values("consumer.lag")),
            new Shape("Batch size", Unit.COUNT, Kind.LINES, samples -> samples.values("consumer.batchSize"))
        };
        for (Shape shape : shapes) {
            List<double[]> columns = runs.stream()
                    .map(run -> shifted(shape.values().apply(run.samples()), -run.chatBegin() - begin, seconds))
                    .toList();
            if (columns.stream().flatMapToDouble(Arrays::stream).anyMatch(Double::isFinite))
                charts.put(shape.title(), new Overlay(shape.title(), shape.unit(), shape.kind(), columns));
        }
        return new Overlays(from, seconds, List.copyOf(charts.values()));
    }

    private record Shape(String title, Unit unit, Kind kind, Function<Samples, double[]> values) {}

    /** Sum over all processes except the generator; NaN in seconds without a value. */
    private static double[] sum(Samples samples, String metric) {
        double[] sum = new double[samples.seconds()];
        Arrays.fill(sum, Double.NaN);
        for (String name : samples.names()) {
            if (!name.endsWith("." + metric) || name.startsWith("generator.")) continue;
            double[] values = samples.values(name);
            for (int i = 0; i < sum.length; i++)
                if (Double.isFinite(values[i])) sum[i] = (Double.isNaN(sum[i]) ? 0 : sum[i]) + values[i];
        }
        return sum;
    }

    private static double[] shifted(double[] values, int by, int length) {
        double[] shifted = new double[length];
        Arrays.fill(shifted, Double.NaN);
        System.arraycopy(values, 0, shifted, by, Math.min(values.length, length - by));
        return shifted;
    }
}
