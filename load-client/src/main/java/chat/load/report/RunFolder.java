package chat.load.report;

import chat.load.report.RunRecord.PlatformMetrics;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.HdrHistogram.Histogram;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Writes a run's folder: the same figures as report, CSV and JSON. docs/guide/load-testing.md lists the files. */
public final class RunFolder {
    static final String PLAN = "plan.json";
    static final String SUMMARY = "summary.json";
    static final String ENVIRONMENT = "environment.json";
    static final String SAMPLES = "samples.csv";
    private static final String METRICS = "metrics.json";
    private static final String DISTRIBUTION = ".hgrm";

    private static final JsonMapper JSON =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();
    private static final double MICROS_PER_MILLI = 1000;

    private RunFolder() {}

    /**
     * Writes all files and replaces those of an earlier run.
     *
     * @return the report
     */
    public static Path write(Path folder, RunRecord run) throws IOException {
        Files.createDirectories(folder);
        json(folder.resolve(PLAN), run.plan().tree());
        json(folder.resolve(ENVIRONMENT), run.environment());
        json(folder.resolve(SUMMARY), Summary.of(run));
        Files.writeString(folder.resolve(SAMPLES), samples(run.samples()));
        Files.writeString(folder.resolve("ramp.csv"), ramp(ConnectionStep.of(run)));
        Files.writeString(
                folder.resolve("buckets.csv"),
                buckets(run.throughput().buckets(run.samples().values(RunRecord.STORED))));
        metrics(folder.resolve(METRICS), run.platform());
        Files.writeString(folder.resolve("rooms.csv"), rooms(run.rooms()));
        histograms(folder, run.latencies());
        Path report = folder.resolve("report.html");
        Files.writeString(report, RunPage.html(run));
        return report;
    }

    private static void json(Path file, Object content) throws IOException {
        try {
            Files.write(file, JSON.writeValueAsBytes(content));
        } catch (JacksonException unwritable) {
            throw new IOException("could not write " + file, unwritable);
        }
    }

    /** An answer of an earlier run must not be taken for this run's. */
    private static void metrics(Path file, PlatformMetrics metrics) throws IOException {
        switch (metrics) {
            case PlatformMetrics.Answer answer -> json(file, answer.body());
            case PlatformMetrics.None none -> Files.deleteIfExists(file);
        }
    }

    private static String samples(Samples samples) {
        List<String> names = samples.names();
        Object[] cells = new Object[names.size() + 1];
        String[] header = new String[names.size() + 1];
        header[0] = "second";
        double[][] columns = new double[names.size()][];
        for (int i = 0; i < columns.length; i++) {
            header[i + 1] = names.get(i);
            columns[i] = samples.values(names.get(i));
        }
        Csv csv = new Csv(header);
        for (int second = 0; second < samples.seconds(); second++) {
            cells[0] = second;
            for (int i = 0; i < columns.length; i++)
                cells[i + 1] = second < columns[i].length ? columns[i][second] : Double.NaN;
            csv.row(cells);
        }
        return csv.toString();
    }

    private static String ramp(List<ConnectionStep> steps) {
        Csv csv = new Csv(
                "second",
                "attempts",
                "active",
                "failed",
                "success_percent",
                "servers_cpu_cores",
                "generator_cpu_cores",
                "event");
        for (ConnectionStep step : steps)
            csv.row(
                    step.from(),
                    step.attempts(),
                    step.active(),
                    step.failed(),
                    step.successPercent(),
                    step.serversCpu(),
                    step.generatorCpu(),
                    step.event());
        return csv.toString();
    }

    private static String buckets(List<Throughput.Bucket> buckets) {
        Csv csv = new Csv("second", "seconds", "sent_per_s", "accepted_per_s", "deliveries_per_s", "stored_per_s");
        for (Throughput.Bucket bucket : buckets)
            csv.row(
                    bucket.from(),
                    bucket.seconds(),
                    bucket.sent(),
                    bucket.accepted(),
                    bucket.deliveries(),
                    bucket.stored());
        return csv.toString();
    }

    private static String rooms(List<RunRecord.RoomThroughput> rooms) {
        Csv csv = new Csv("room", "sent", "accepted", "deliveries", "seconds", "accepted_per_s", "deliveries_per_s");
        for (RunRecord.RoomThroughput room : rooms)
            csv.row(
                    room.room(),
                    room.sent(),
                    room.accepted(),
                    room.deliveries(),
                    room.seconds(),
                    room.acceptedPerSecond(),
                    room.deliveriesPerSecond());
        return csv.toString();
    }

    private static void histograms(Path folder, Map<String, Histogram> latencies) throws IOException {
        Path distributions = Files.createDirectories(folder.resolve("histograms"));
        try (DirectoryStream<Path> earlier = Files.newDirectoryStream(distributions, "*" + DISTRIBUTION)) {
            for (Path file : earlier) Files.delete(file);
        }
        Map<String, Percentiles> all = new LinkedHashMap<>();
        for (Map.Entry<String, Histogram> latency : latencies.entrySet()) {
            if (latency.getValue().getTotalCount() == 0) continue;
            all.put(latency.getKey(), Percentiles.of(latency.getValue()));
            ByteArrayOutputStream text = new ByteArrayOutputStream(1 << 14);
            try (PrintStream out = new PrintStream(text, false, StandardCharsets.UTF_8)) {
                latency.getValue().outputPercentileDistribution(out, MICROS_PER_MILLI);
            }
            Files.write(distributions.resolve(fileName(latency.getKey()) + DISTRIBUTION), text.toByteArray());
        }
        json(folder.resolve("histograms.json"), all);
    }

    private static String fileName(String latency) {
        return latency.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-");
    }
}
