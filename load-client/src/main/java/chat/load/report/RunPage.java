package chat.load.report;

import chat.load.check.Verdict.Status;
import chat.load.report.RunPlan.Setting;
import chat.load.report.RunRecord.PlatformMetrics;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Computes the report of one run; {@code run.js} only draws it. */
final class RunPage {
    private static final List<String> SCRIPTS = List.of("dom.js", "format.js", "chart.js", "run.js");
    /** Points per factor of ten on a percentile plot. */
    private static final int STEPS_PER_DECADE = 20;

    private RunPage() {}

    static String html(RunRecord run) {
        Summary summary = Summary.of(run);
        return new Page(
                        run.plan().scenario() + " " + run.run() + ": " + (summary.passed() ? "PASS" : "FAIL"),
                        SCRIPTS,
                        CompactNumbers.JSON.writeValueAsString(view(run, summary)))
                .html();
    }

    /**
     * A key figure.
     *
     * @param note in small print, may be empty
     * @param bad whether the value indicates a fault
     */
    private record Tile(String label, String value, String unit, String note, boolean bad) {}

    /**
     * Percentile plots of several histograms on one axis.
     *
     * @param oneIn 1 / (1 - quantile): 100 is the 99th percentile
     * @param millis by metric; NaN if there were too few values
     */
    private record Distribution(double[] oneIn, Map<String, double[]> millis) {}

    private record Room(String room, long accepted, long deliveries, double perSecond) {}

    private record Platform(
            @Nullable String url,
            @Nullable JsonNode body,
            @Nullable String reason) {
        static Platform of(PlatformMetrics metrics) {
            return switch (metrics) {
                case PlatformMetrics.Answer answer -> new Platform(answer.url(), answer.body(), null);
                case PlatformMetrics.None none -> new Platform(null, null, none.reason());
            };
        }
    }

    private record View(
            Summary summary,
            String checks,
            String version,
            List<Tile> tiles,
            List<PhaseWindow> phases,
            PhaseWindow chat,
            int seconds,
            int cores,
            ChartCatalogue catalogue,
            Map<String, double[]> columns,
            Distribution distribution,
            List<ConnectionStep> ramp,
            double firstSend,
            List<Throughput.Bucket> buckets,
            List<Room> rooms,
            Platform platform,
            List<Setting> plan,
            List<Setting> environment) {}

    private static View view(RunRecord run, Summary summary) {
        Samples samples = run.samples();
        Map<String, double[]> columns = new LinkedHashMap<>();
        for (String name : samples.names()) columns.put(name, samples.values(name));
        String version = run.environment().version();
        return new View(
                summary,
                checks(run),
                version == null ? "" : version,
                tiles(summary),
                PhaseWindow.of(run),
                PhaseWindow.chat(run),
                samples.seconds(),
                run.environment().cores(),
                ChartCatalogue.of(samples),
                columns,
                distribution(run.latencies()),
                ConnectionStep.of(run),
                run.throughput().beginSecond(),
                run.throughput().buckets(samples.values(RunRecord.STORED)),
                rooms(run),
                Platform.of(run.platform()),
                plan(run),
                environment(run.environment()));
    }

    private static String checks(RunRecord run) {
        long passed = checks(run, Status.PASS);
        long skipped = checks(run, Status.SKIPPED);
        return passed + " of " + run.verdict().checks().size() + " checks passed"
                + (skipped == 0 ? "" : ", " + skipped + " not checked");
    }

    private static long checks(RunRecord run, Status status) {
        return run.verdict().checks().stream()
                .filter(check -> check.status() == status)
                .count();
    }

    private static List<Tile> tiles(Summary summary) {
        List<Tile> tiles = new ArrayList<>();
        Summary.Rates rates = summary.rates();
        if (rates.accepted() > 0)
            tiles.add(new Tile("accepted", number(rates.accepted()), "/s", number(rates.sends()) + "/s sent", false));
        if (rates.deliveries() > 0)
            tiles.add(new Tile(
                    "deliveries",
                    number(rates.deliveries()),
                    "/s",
                    count(summary.counts().deliveries()) + " in all",
                    false));
        summary.latencyMillis().forEach((name, p) -> {
            if (name.equals(RunRecord.ACK) || name.equals(RunRecord.OTHERS_DELIVERY) || name.equals(RunRecord.ROW))
                tiles.add(new Tile(
                        name.replace("frame to ", "") + ", p99",
                        millis(p.p99()),
                        unit(p.p99()),
                        "p50 " + millis(p.p50()) + " " + unit(p.p50()),
                        false));
        });
        long breaches = summary.verdict().checks().stream()
                .mapToLong(check -> check.count())
                .sum();
        tiles.add(new Tile("breaches", count(breaches), "", "of all promises", breaches > 0));
        Summary.Counts counts = summary.counts();
        tiles.add(new Tile(
                "reconnects",
                count(counts.reconnects()),
                "",
                count(counts.failedConnects()) + " failed connects",
                counts.reconnects() > 0));
        Summary.Seconds seconds = summary.seconds();
        tiles.add(new Tile("chat", seconds(seconds.chat()), "s", seconds(seconds.all()) + " s in all", false));
        Summary.ProcessUse generator = summary.processes().get("generator");
        Double cpu = generator == null ? null : generator.cpuMean();
        Double deviation = generator == null ? null : generator.cpuDeviation();
        if (cpu != null)
            tiles.add(new Tile(
                    "generator CPU",
                    String.format(Locale.ROOT, "%.2f", cpu),
                    "cores",
                    (deviation == null ? "" : String.format(Locale.ROOT, "\u00b1 %.2f, ", deviation))
                            + (summary.sharesMachine() ? "same machine" : "its own machine"),
                    false));
        return tiles;
    }

    private static Distribution distribution(Map<String, Histogram> latencies) {
        long most = latencies.values().stream()
                .mapToLong(Histogram::getTotalCount)
                .max()
                .orElse(0);
        int points = most == 0 ? 0 : (int) Math.ceil(STEPS_PER_DECADE * Math.log10((double) most)) + 1;
        double[] oneIn = new double[points];
        for (int i = 0; i < points; i++) oneIn[i] = Math.pow(10, (double) i / STEPS_PER_DECADE);
        Map<String, double[]> millis = new LinkedHashMap<>();
        latencies.forEach((name, histogram) -> {
            long count = histogram.getTotalCount();
            if (count == 0) return;
            double[] values = new double[points];
            for (int i = 0; i < points; i++)
                values[i] = oneIn[i] > count && i > 0
                        ? Double.NaN
                        : Math.min(histogram.getValueAtPercentile(100 * (1 - 1 / oneIn[i])), histogram.getMaxValue())
                                / 1000.0;
            millis.put(name, values);
        });
        return new Distribution(oneIn, millis);
    }

    private static List<Room> rooms(RunRecord run) {
        return run.rooms().stream()
                .map(room -> new Room(room.room(), room.accepted(), room.deliveries(), room.acceptedPerSecond()))
                .toList();
    }

    private static List<Setting> plan(RunRecord run) {
        List<Setting> rows = new ArrayList<>();
        rows.add(new Setting("scenario", run.plan().scenario()));
        rows.add(new Setting("size", run.plan().headline()));
        rows.addAll(run.plan().settings());
        rows.add(new Setting("servers", String.join(" ", run.urls())));
        return rows;
    }

    private static List<Setting> environment(Environment environment) {
        List<Setting> rows = new ArrayList<>();
        rows.add(new Setting("command", environment.commandLine()));
        rows.add(new Setting("started", environment.startedAt()));
        rows.add(new Setting(
                "machines",
                environment.sharesMachine()
                        ? "generator and servers share this machine: figures include both"
                        : "the servers run on other machines"));
        rows.add(new Setting("cores", Integer.toString(environment.cores())));
        if (environment.cpu() != null) rows.add(new Setting("processor", environment.cpu()));
        rows.add(new Setting("memory", String.format(Locale.ROOT, "%.1f GB", environment.memoryBytes() / 1e9)));
        rows.add(new Setting("system", environment.os() + ", " + environment.kernel()));
        rows.add(new Setting("JDK", environment.jdk()));
        if (environment.version() != null) rows.add(new Setting("Confab", environment.version()));
        rows.add(new Setting("commit", environment.commit() == null ? "unknown" : environment.commit()));
        return rows;
    }

    private static String count(long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, value < 10 && value != Math.rint(value) ? "%,.2f" : "%,.0f", value);
    }

    private static String seconds(double value) {
        return String.format(Locale.ROOT, value < 100 ? "%.1f" : "%,.0f", value);
    }

    private static String millis(double value) {
        if (value >= 1000) return String.format(Locale.ROOT, "%.2f", value / 1000);
        return String.format(Locale.ROOT, value < 10 ? "%.2f" : value < 100 ? "%.1f" : "%.0f", value);
    }

    private static String unit(double millis) {
        return millis >= 1000 ? "s" : "ms";
    }
}
