package chat.load.run;

import chat.load.check.Checker;
import chat.load.check.RunHistory;
import chat.load.check.Verdict;
import chat.load.dialect.Dialect;
import chat.load.driver.ChatRun;
import chat.load.driver.ServerUrl;
import chat.load.plan.Plan;
import chat.load.report.Counters;
import chat.load.report.Environment;
import chat.load.report.Finding;
import chat.load.report.MessageLines;
import chat.load.report.ProgressLine;
import chat.load.report.RunRecord;
import chat.load.report.RunRecord.MessageCount;
import chat.load.report.RunRecord.PlatformMetrics;
import chat.load.report.Samples;
import chat.load.report.Summary;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Runs the chat, observes it, reads stored messages back and judges the result. */
final class JudgedRun {
    private static final int MAX_NOTES = 10;

    private final RunSettings settings;
    private final Dialect dialect;
    private final PlanRunner runner;
    private final Plan plan;
    private final @Nullable Storage storage;
    private final RunObserver.Factory observers;

    /** @param storage null if storage is not checked */
    JudgedRun(
            RunSettings settings,
            Dialect dialect,
            PlanRunner runner,
            Plan plan,
            @Nullable Storage storage,
            RunObserver.Factory observers) {
        this.settings = settings;
        this.dialect = dialect;
        this.runner = runner;
        this.plan = plan;
        this.storage = storage;
        this.observers = observers;
    }

    /**
     * Runs and judges the plan. Blocks until both are complete.
     *
     * @param warmUp figures of the preceding warm-up
     */
    RunRecord run(RunRecord.@Nullable WarmUp warmUp) throws InterruptedException, Unusable {
        Instant start = Instant.now();
        long zeroNanos = System.nanoTime();
        Counters counters = new Counters();
        Samples samples = new Samples();
        List<RunRecord.Phase> phases = new ArrayList<>();
        Consumer<String> phase =
                name -> phases.add(new RunRecord.Phase(name, (int) ((System.nanoTime() - zeroNanos) / 1_000_000_000)));
        ChatRun.Result result;
        Verdict verdict;
        long judgedNanos;
        RunObserver observer =
                observers.create(storage == null ? null : storage.base(), samples, () -> System.nanoTime() - zeroNanos);
        try (observer;
                ProgressLine progress = runner.progress(counters, plan);
                Lines lines = Lines.to(settings.csv())) {
            observer.start();
            if (plan.traffic().duplicates() > 0) observer.awaitCounters();
            progress.start();
            result = runner.run(
                    plan,
                    new PlanRunner.Recording(
                            counters,
                            samples,
                            zeroNanos,
                            lines.lines,
                            storage == null ? null : storage.reader(plan),
                            phase));
            if (counters.joined.sum() == 0)
                throw new Unusable("no member could join: "
                        + String.join("; ", result.history().aborted()));
            int gone = (int) TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - zeroNanos);
            RunHistory history = storage == null ? result.history() : storage.readBack(result, plan, counters);
            verdict = Checker.check(history).and(result.expectations());
            judgedNanos = System.nanoTime();
            verdict = verdict.and(observer.awaitChecks(new RunObserver.Ended(gone, counters.duplicates.sum()), phase));
        } catch (IOException unwritable) {
            throw new Unusable("cannot write " + settings.csv() + ": " + unwritable.getMessage());
        }
        return new RunRecord(
                result.name(),
                PlanText.of(plan, dialect, settings.urls().size()),
                settings.urls().stream().map(ServerUrl::toString).toList(),
                Environment.here(
                        start,
                        settings.urls().stream().anyMatch(ServerUrl::isLoopback),
                        settings.version(),
                        settings.arguments()),
                verdict,
                new Summary.Seconds(
                        result.joinSeconds(),
                        result.chatSeconds(),
                        (judgedNanos - result.endNanos()) / 1e9,
                        (System.nanoTime() - zeroNanos) / 1e9),
                Summary.Counts.of(counters),
                result.latencies().histograms(),
                samples,
                phases,
                result.throughput(),
                result.rooms().stream()
                        .map(room -> new RunRecord.RoomThroughput(
                                room.room(), room.sent(), room.accepted(), room.deliveries(), room.seconds()))
                        .toList(),
                messages(counters),
                findings(result, observer, phases),
                warmUp,
                storage == null ? new PlatformMetrics.None("storage was not asked") : storage.metrics());
    }

    private static List<Finding> findings(ChatRun.Result result, RunObserver observer, List<RunRecord.Phase> phases) {
        List<Finding> findings = new ArrayList<>(observer.findings(phases));
        result.notes().stream()
                .limit(MAX_NOTES)
                .map(note -> new Finding("connections", note, Finding.Level.INFO))
                .forEach(findings::add);
        return findings;
    }

    private static Map<String, MessageCount> messages(Counters counters) {
        Map<String, MessageCount> types = new LinkedHashMap<>();
        types.put("TEXT", new MessageCount(counters.sent.sum(), counters.accepted.sum()));
        types.put("JOIN", new MessageCount(counters.joins.sum(), counters.joined.sum() + counters.rejoined.sum()));
        types.put("LEAVE", new MessageCount(counters.leaves.sum(), counters.left.sum()));
        return types;
    }

    /** The CSV file of all messages, if requested. */
    private record Lines(@Nullable MessageLines lines) implements AutoCloseable {
        static Lines to(@Nullable Path file) throws IOException {
            return new Lines(file == null ? null : new MessageLines(file));
        }

        @Override
        public void close() throws IOException {
            if (lines != null) lines.close();
        }
    }
}
