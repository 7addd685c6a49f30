package chat.load.run;

import chat.load.check.Verdict.Check;
import chat.load.report.Finding;
import chat.load.report.RunRecord.Phase;
import chat.load.report.Samples;
import java.net.URI;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Observes the machine and the servers during a run, and contributes checks and findings to its report. Used by the
 * thread that executes the run.
 */
public interface RunObserver extends AutoCloseable {
    /** Creates the observer of one run. */
    interface Factory {
        /**
         * @param history the consumer's REST API; null if storage is not checked
         * @param samples receives what is observed
         * @param nanosSinceBegin nanoseconds since the run began, the time base of {@code samples}
         */
        RunObserver create(@Nullable URI history, Samples samples, LongSupplier nanosSinceBegin);
    }

    /** Begins to observe. */
    void start();

    /** Waits a few seconds at most until the platform's counters are known as they were before the run. */
    void awaitCounters() throws InterruptedException;

    /**
     * A run whose members have left.
     *
     * @param second of the run in which its members left
     * @param duplicates TEXTs that were sent a second time on purpose
     */
    record Ended(int second, long duplicates) {}

    /**
     * Waits until the observations after the run decide its checks.
     *
     * @param phase receives the name of a phase that begins
     */
    List<Check> awaitChecks(Ended run, Consumer<String> phase) throws InterruptedException;

    /** Stops observing. */
    @Override
    void close();

    /** Returns what the observations show. Complete after {@link #close}. */
    List<Finding> findings(List<Phase> phases);
}
