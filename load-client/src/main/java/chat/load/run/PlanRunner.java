package chat.load.run;

import chat.load.dialect.Dialect;
import chat.load.driver.ChatRun;
import chat.load.driver.HistoryReader;
import chat.load.plan.Backoff;
import chat.load.plan.Plan;
import chat.load.plan.RunIds;
import chat.load.report.Counters;
import chat.load.report.MessageLines;
import chat.load.report.ProgressLine;
import chat.load.report.Samples;
import chat.protocol.PrintableOutput;
import java.io.Console;
import java.io.PrintWriter;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Runs plans against the given servers and shows their progress. */
final class PlanRunner {
    private final RunSettings settings;
    private final Dialect dialect;
    private final PrintWriter out;

    PlanRunner(RunSettings settings, Dialect dialect, PrintWriter out) {
        this.settings = settings;
        this.dialect = dialect;
        this.out = out;
    }

    /** Collects what a run records while it lasts. {@code zeroNanos} is second 0 of the samples. */
    record Recording(
            Counters counters,
            Samples samples,
            long zeroNanos,
            @Nullable MessageLines lines,
            @Nullable HistoryReader rows,
            Consumer<String> phase) {
        /** For a run of which only the result is needed. */
        static Recording ofResult(Counters counters) {
            return new Recording(counters, new Samples(), System.nanoTime(), null, null, phase -> {});
        }
    }

    ChatRun.Result run(Plan plan, Recording recording) throws InterruptedException {
        return ChatRun.run(
                plan,
                RunIds.random(System.currentTimeMillis()),
                new ChatRun.Surroundings(
                        dialect,
                        settings.urls(),
                        settings.threads(),
                        Backoff.DEFAULT,
                        recording.counters(),
                        recording.samples(),
                        recording.zeroNanos(),
                        recording.lines(),
                        recording.rows(),
                        recording.phase()));
    }

    ProgressLine progress(Counters counters, Plan plan) {
        boolean terminal = onTerminal();
        return new ProgressLine(
                terminal ? PrintableOutput.untouched() : out,
                terminal,
                counters,
                (long) plan.numbering().users() * plan.numbering().rooms(),
                plan.numbering().total(),
                plan.duration());
    }

    // Error Prone knows the JDK 22 behavior (never null). Since JDK 25 it is null again without a terminal.
    @SuppressWarnings("SystemConsoleNull")
    private static boolean onTerminal() {
        Console console = System.console();
        return console != null && console.isTerminal();
    }
}
