package chat.bench.pairs;

import chat.bench.platform.MeasurementFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Counts hardware and kernel events of processes with Linux's {@code perf}. */
final class PerfCounters {
    private static final String EVENTS =
            "context-switches,instructions,cycles,cache-misses,iTLB-load-misses,dTLB-load-misses";
    private static final int MANY = 100;

    private PerfCounters() {}

    /** @throws MeasurementFailure if this machine has no {@code perf} or does not allow it */
    static void check() throws InterruptedException {
        int exitCode;
        try {
            exitCode = new ProcessBuilder("perf", "stat", "-e", EVENTS, "true")
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor();
        } catch (IOException missing) {
            exitCode = -1;
        }
        if (exitCode != 0) throw new MeasurementFailure("perf cannot count " + EVENTS + " on this machine.");
    }

    /** Returns the words before a command whose duration is the time of counting; {@code perf} exits with its code. */
    static List<String> prefix(List<Long> pids, Path file) {
        return List.of(
                "perf",
                "stat",
                "-x",
                ",",
                "-e",
                EVENTS,
                "-p",
                pids.stream().map(String::valueOf).collect(Collectors.joining(",")),
                "-o",
                file.toString());
    }

    /** Returns the counts of the file per message, such as {@code 0.12 context-switches}. */
    static List<String> perMessage(Path file, long messages) throws IOException {
        return perMessage(Files.readAllLines(file), messages);
    }

    /** @param lines {@code count,unit,event,...}; a line without a count is skipped */
    static List<String> perMessage(List<String> lines, long messages) {
        List<String> counts = new ArrayList<>();
        for (String line : lines) {
            String[] fields = line.split(",", -1);
            if (fields.length < 3 || !fields[0].matches("\\d+(\\.\\d+)?")) continue;
            double count = Double.parseDouble(fields[0]);
            // A number above 100 needs no decimals.
            String format = count < MANY * (double) messages ? "%.2f %s" : "%.0f %s";
            counts.add(String.format(Locale.ROOT, format, count / messages, fields[2]));
        }
        return counts;
    }
}
