package chat.local;

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

    private LoadSeconds(Instant start, double[] connected, double[] p99) {
        this.start = start;
        this.connected = connected;
        this.p99 = p99;
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
                    column(lines, "client.others.p99"));
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

    /**
     * From {@code fault} until all members were connected for five seconds in a row; until the end if they never were. To the second.
     */
    Duration untilAllAreConnected(Instant fault) {
        double all = Arrays.stream(connected)
                .filter(value -> !Double.isNaN(value))
                .max()
                .orElse(0);
        return until(fault, second -> connected[second] == all);
    }

    /**
     * From {@code fault} until the 99th percentile of a second was at most twice what it had been in the middle of the
     * seconds before, for five in a row; until the end if it never was. To the second.
     */
    Duration untilLatencyIsAsBefore(Instant fault) {
        double[] before = Arrays.stream(p99, 0, second(fault))
                .filter(value -> !Double.isNaN(value))
                .sorted()
                .toArray();
        if (before.length == 0) throw new DrillFailure("nothing was said before the fault");
        double usual = before[before.length / 2];
        return until(fault, second -> p99[second] <= 2 * usual);
    }

    private Duration until(Instant fault, IntPredicate asBefore) {
        int from = second(fault);
        int back = IntStream.rangeClosed(from, p99.length - IN_A_ROW)
                .filter(second -> IntStream.range(second, second + IN_A_ROW).allMatch(asBefore))
                .findFirst()
                .orElse(p99.length);
        return Duration.ofSeconds(back - from);
    }

    private int second(Instant time) {
        return Math.clamp(Duration.between(start, time).toSeconds(), 0, p99.length);
    }
}
