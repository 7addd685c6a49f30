package chat.launcher;

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

/** What a finished run of the load client wrote down for each second. */
final class LoadSeconds {
    /** Seconds that have to be as before, one after the other: a single one may be so by chance. */
    private static final int IN_A_ROW = 5;

    private static final Pattern STARTED = Pattern.compile("\"startedAt\"\\s*:\\s*\"([^\"]+)\"");

    private final Instant start;
    private final double[] connected;
    private final double[] p99;
    private final long refusals;
    /** The last second in which anything was delivered: in it members begin to leave, and later nobody talks any more. */
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

    /** @param folder of the run, as {@code --out} named it */
    static LoadSeconds read(Path folder) {
        try {
            Matcher started = STARTED.matcher(Files.readString(folder.resolve("summary.json")));
            if (!started.find()) throw new DrillFailure(folder + " does not tell when the load began");
            List<String> lines = Files.readAllLines(folder.resolve("samples.csv"));
            return new LoadSeconds(
                    Instant.parse(started.group(1)),
                    column(lines, "client.connected"),
                    column(lines, "client.others.p99"),
                    sum(column(lines, "client.refused")) + sum(column(lines, "client.retries")));
        } catch (IOException unreadable) {
            throw new DrillFailure("cannot read what the load measured: " + unreadable);
        }
    }

    /** NaN where a second has no value. */
    private static double[] column(List<String> lines, String name) {
        int column = List.of(lines.getFirst().split(",", -1)).indexOf(name);
        if (column < 0) throw new DrillFailure("the load did not measure " + name);
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

    /** How often anything was refused, whether or not it was offered again. */
    long refusals() {
        return refusals;
    }

    /** From when a member was not connected until all were, as {@link #longest} has it. */
    Duration untilAllAreConnected(Instant fault) {
        double all = Arrays.stream(connected)
                .filter(value -> !Double.isNaN(value))
                .max()
                .orElse(0);
        return longest(fault, second -> connected[second] == all);
    }

    /**
     * From when the 99th percentile of a second was more than twice what it had been in the middle of the seconds before
     * the fault, or nothing was delivered in a second, until neither was so, as {@link #longest} has it.
     */
    Duration untilLatencyIsAsBefore(Instant fault) {
        double[] before = Arrays.stream(p99, 0, second(fault))
                .filter(value -> !Double.isNaN(value))
                .sorted()
                .toArray();
        if (before.length == 0) throw new DrillFailure("nothing was said before the fault");
        double usual = before[before.length / 2];
        return longest(fault, second -> p99[second] <= 2 * usual);
    }

    /**
     * The longest time since {@code fault} from a second that was not as before until five in a row were, or until the end of
     * the load if that never came. A fault may be noticed long after it came, and after a second of chance that was not as
     * before: so neither the fault nor the first such second is where the time begins. To the second.
     */
    private Duration longest(Instant fault, IntPredicate asBefore) {
        int from = second(fault);
        if (end <= from) return Duration.ofSeconds(p99.length - from); // nothing was ever delivered again
        int longest = 0;
        int begin = from;
        int inARow = IN_A_ROW; // until one is not
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
