package chat.launcher.chaos;

import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** Prints outcomes as a table, each when it is known. */
public final class OutcomeTable {
    private static final String FORMAT = "%-4s %-28s %11s %6s %8s %8s %10s %9s %9s  %s%n";

    private final PrintStream out;

    /** Prints the heading. */
    public OutcomeTable(PrintStream out) {
        this.out = out;
        out.printf(
                "%n" + FORMAT,
                "id",
                "fault",
                "accepted",
                "lost",
                "doubled",
                "phantom",
                "reordered",
                "silence",
                "recovery",
                "result");
        out.flush();
    }

    public void add(Outcome outcome) {
        Counts counts = outcome.counts();
        out.printf(
                Locale.ROOT,
                FORMAT,
                outcome.fault().id(),
                outcome.fault().name(),
                count(counts.accepted()),
                count(counts.lost()),
                count(counts.doubled()),
                count(counts.phantom()),
                count(counts.reordered()),
                seconds(outcome.times().silence()),
                seconds(outcome.times().recovery()),
                outcome.passed()
                        ? "passed: " + outcome.fault().what()
                        : "FAILED: " + outcome.fault().what() + ": " + String.join("; ", outcome.complaints()));
        out.flush();
    }

    /** Prints the last line: the sums. */
    public void sums(ChaosResult result) {
        result.complaints().forEach(out::println);
        Counts sums = result.sums();
        List<Outcome> outcomes = result.outcomes();
        out.printf(
                Locale.ROOT,
                "%n%d of %d faults passed: %,d messages accepted, %,d lost, %,d doubled, %,d phantom, %,d reordered%n",
                outcomes.stream().filter(Outcome::passed).count(),
                outcomes.size(),
                sums.accepted(),
                sums.lost(),
                sums.doubled(),
                sums.phantom(),
                sums.reordered());
        out.flush();
    }

    private static String count(long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }

    private static String seconds(Duration duration) {
        return String.format(Locale.ROOT, "%.1f s", duration.toMillis() / 1000.0);
    }
}
