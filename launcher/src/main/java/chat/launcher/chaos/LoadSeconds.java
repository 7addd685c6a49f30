package chat.launcher.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/** Reads the per-second samples of a finished run of the load client. */
final class LoadSeconds {
    /** Consecutive normal seconds that count as recovery; a single one may be chance. */
    private static final int IN_A_ROW = 5;

    private static final Pattern STARTED = Pattern.compile("\"startedAt\"\\s*:\\s*\"([^\"]+)\"");

    private final Instant start;
    private final double[] connected;
    private final double[] p99;
    private final long refusals;
    /** The last second with a delivery. In it members start to leave; later there is no traffic. */
    private final int end;

    private LoadSeconds(Instant start, double[] connected, double[] p99, long refusals) {
        this.start = start;
        this.connected = connected;
        this.p99 = p99;
        this.refusals = refusals;
        this.end = IntStream.range(0, p99.length)
                .filter(second -> !Double.isNaN(p99[second]))
                .max()
                .orElse(0);
    }

    /** @param folder the run's {@code --out} */
    static LoadSeconds read(Path folder) {
        try {
            Matcher started = STARTED.matcher(Files.readString(folder.resolve("summary.json")));
            if (!started.find()) throw new ChaosFailure(folder + "/summary.json has no startedAt");
            List<String> lines = Files.readAllLines(folder.resolve("samples.csv"));
            return new LoadSeconds(
                    Instant.parse(started.group(1)),
                    column(lines, "client.connected"),
                    column(lines, "client.others.p99"),
                    sum(column(lines, "client.refused")) + sum(column(lines, "client.retries")));
        } catch (IOException unreadable) {
            throw new ChaosFailure("cannot read the results of the load: " + unreadable);
        }
    }

    /** Returns one value per second; NaN if a second has no value. */
    private static double[] column(List<String> lines, String name) {
        int column = List.of(lines.getFirst().split(",", -1)).indexOf(name);
        if (column < 0) throw new ChaosFailure("the load did not measure " + name);
        return lines.stream()
                .skip(1)
                .map(line -> line.split(",", -1)[column])
                .mapToDouble(cell -> cell.isEmpty() ? Double.NaN : Double.parseDouble(cell))
                .toArray();
    }

    private static long sum(double[] counts) {
        return Math.round(
                Arrays.stream(counts).filter(count -> !Double.isNaN(count)).sum());
    }

    /** Returns the number of rejections, retried or not. */
    long refusals() {
        return refusals;
    }

    /** Returns the longest time with a disconnected member; see {@link #longest}. */
    Duration untilAllAreConnected(Instant fault) {
        double all = Arrays.stream(connected)
                .filter(value -> !Double.isNaN(value))
                .max()
                .orElse(0);
        return longest(fault, second -> connected[second] == all);
    }

    /**
     * Returns the longest time in which the p99 of a second was more than twice the median p99 before the fault, or
     * nothing was delivered in a second; see {@link #longest}.
     */
    Duration untilLatencyIsAsBefore(Instant fault) {
        double[] before = Arrays.stream(p99, 0, second(fault))
                .filter(value -> !Double.isNaN(value))
                .sorted()
                .toArray();
        if (before.length == 0) throw new ChaosFailure("no message was delivered before the fault");
        double usual = before[before.length / 2];
        return longest(fault, second -> p99[second] <= 2 * usual);
    }

    /**
     * Returns the longest disturbance since {@code fault}, in whole seconds: from an abnormal second until five normal
     * ones in a row, or until the end of the load. The time does not start at the fault, because its effect may come
     * later, nor always at the first abnormal second, because a single one may be chance.
     */
    private Duration longest(Instant fault, IntPredicate asBefore) {
        int from = second(fault);
        if (end <= from) return Duration.ofSeconds(p99.length - from); // nothing was delivered after the fault
        int longest = 0;
        int begin = from;
        int inARow = IN_A_ROW; // normal before the fault
        for (int second = from; second < end; second++) {
            if (asBefore.test(second)) {
                inARow++;
                continue;
            }
            if (inARow >= IN_A_ROW) begin = second;
            inARow = 0;
            longest = Math.max(longest, second + 1 - begin);
        }
        if (inARow < IN_A_ROW) longest = Math.max(longest, end - begin);
        return Duration.ofSeconds(longest);
    }

    private int second(Instant time) {
        return Math.clamp(Duration.between(start, time).toSeconds(), 0, p99.length);
    }
}
