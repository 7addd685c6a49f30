package chat.load.lab.matrix;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Writes {@code sweep.csv} and {@code sweep.json}, or those of another title: every run, and every cell's medians. */
final class ResultFiles {
    private static final JsonMapper JSON =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

    private ResultFiles() {}

    static void write(MatrixPlan plan, List<Result> results) throws IOException {
        Files.createDirectories(plan.out());
        replace(plan.out().resolve(plan.title() + ".csv"), csv(results).getBytes(StandardCharsets.UTF_8));
        try {
            replace(plan.out().resolve(plan.title() + ".json"), JSON.writeValueAsBytes(Written.of(plan, results)));
        } catch (JacksonException unwritable) {
            throw new IOException("could not write " + plan.title() + ".json", unwritable);
        }
    }

    /** Replaces the file atomically. */
    private static void replace(Path file, byte[] content) throws IOException {
        Path fresh = file.resolveSibling(file.getFileName() + ".new");
        Files.write(fresh, content);
        Files.move(fresh, file, StandardCopyOption.REPLACE_EXISTING);
    }

    private record Written(
            String title,
            int repeats,
            int warmUps,
            boolean shuffled,
            long seed,
            int planned,
            List<CellResult> cells,
            List<WrittenRun> runs) {
        static Written of(MatrixPlan plan, List<Result> results) {
            return new Written(
                    plan.title(),
                    plan.repeats(),
                    plan.warmUps(),
                    plan.shuffled(),
                    plan.seed(),
                    plan.cells().size() * plan.repeats(),
                    CellResult.of(plan, results),
                    results.stream().map(WrittenRun::of).toList());
        }
    }

    private record WrittenRun(
            int number,
            int repeat,
            Map<String, String> values,
            List<String> arguments,
            @Nullable List<String> platform,
            @Nullable Map<String, String> environment,
            String folder,
            Result.Outcome outcome,
            int exitCode,
            String reason,
            double seconds,
            @Nullable Figures figures) {
        static WrittenRun of(Result result) {
            Cell cell = result.run().cell();
            Platform platform = cell.platform();
            return new WrittenRun(
                    result.run().number(),
                    result.run().repeat(),
                    cell.values(),
                    cell.arguments(),
                    platform == null ? null : platform.command(),
                    platform == null ? null : platform.environment(),
                    String.valueOf(result.folder().getFileName()),
                    result.outcome(),
                    result.exitCode(),
                    result.reason(),
                    result.seconds(),
                    result.figures());
        }
    }

    /** One line for each run. */
    private static String csv(List<Result> results) {
        Set<String> values = new LinkedHashSet<>();
        Set<String> rates = new LinkedHashSet<>();
        Set<String> latencies = new LinkedHashSet<>();
        for (Result result : results) {
            values.addAll(result.run().cell().values().keySet());
            Figures figures = result.figures();
            if (figures == null) continue;
            rates.addAll(figures.rates().keySet());
            latencies.addAll(figures.latencyMillis().keySet());
        }
        StringBuilder csv = new StringBuilder();
        List<String> header = new ArrayList<>(List.of("run", "repeat"));
        header.addAll(values);
        header.addAll(List.of("outcome", "exit_code", "seconds"));
        for (String rate : rates) header.add(rate + "_per_s");
        header.add("fan_out");
        for (String latency : latencies)
            header.addAll(List.of(latency + " mean ms", latency + " p50 ms", latency + " p99 ms"));
        header.add("depth_peak");
        header.add("server_cpu_us_per_delivery");
        for (Promise promise : Promise.values()) header.add(promise.label);
        header.addAll(List.of("folder", "reason"));
        line(csv, header);
        for (Result result : results) line(csv, line(result, values, rates, latencies));
        return csv.toString();
    }

    private static List<String> line(Result result, Set<String> values, Set<String> rates, Set<String> latencies) {
        Figures figures = result.figures();
        List<String> line = new ArrayList<>();
        line.add(Integer.toString(result.run().number()));
        line.add(Integer.toString(result.run().repeat()));
        for (String value : values) line.add(result.run().cell().values().getOrDefault(value, ""));
        line.add(result.outcome().name());
        line.add(Integer.toString(result.exitCode()));
        line.add(number(result.seconds()));
        for (String rate : rates)
            line.add(number(figures == null ? null : figures.rates().get(rate)));
        line.add(number(figures == null ? null : figures.fanOut()));
        for (String name : latencies) {
            Figures.Latency latency =
                    figures == null ? null : figures.latencyMillis().get(name);
            line.add(number(latency == null ? null : latency.mean()));
            line.add(number(latency == null ? null : latency.p50()));
            line.add(number(latency == null ? null : latency.p99()));
        }
        line.add(number(figures == null ? null : figures.depthPeak()));
        line.add(number(figures == null ? null : figures.serverCpuMicrosPerDelivery()));
        for (Promise promise : Promise.values())
            line.add(figures == null ? "" : Long.toString(figures.broken(promise)));
        line.add(String.valueOf(result.folder().getFileName()));
        line.add(result.reason());
        return line;
    }

    private static String number(@Nullable Double value) {
        return value == null ? "" : String.format(Locale.ROOT, "%.3f", value);
    }

    private static void line(StringBuilder csv, List<String> cells) {
        StringJoiner line = new StringJoiner(",", "", "\n");
        for (String cell : cells) line.add(quoted(cell));
        csv.append(line);
    }

    private static String quoted(String cell) {
        boolean plain = cell.chars().noneMatch(c -> c == ',' || c == '"' || c == '\n' || c == '\r');
        return plain ? cell : '"' + cell.replace("\"", "\"\"") + '"';
    }
}
