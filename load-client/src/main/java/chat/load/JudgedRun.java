package chat.load;

import chat.load.check.Checker;
import chat.load.check.RunHistory;
import chat.load.check.Verdict;
import chat.load.check.Verdict.Check;
import chat.load.dialect.Dialect;
import chat.load.driver.ChatRun;
import chat.load.driver.ServerUrl;
import chat.load.lab.diagnosis.ConnectionsLeft;
import chat.load.lab.diagnosis.Diagnosis;
import chat.load.lab.diagnosis.Span;
import chat.load.lab.sample.Sampler;
import chat.load.plan.Plan;
import chat.load.report.Counters;
import chat.load.report.Environment;
import chat.load.report.Finding;
import chat.load.report.MessageLines;
import chat.load.report.ProgressLine;
import chat.load.report.RunRecord;
import chat.load.report.RunRecord.PlatformMetrics;
import chat.load.report.Samples;
import chat.load.report.Summary;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Runs the chat, samples it, reads stored messages back and judges the result. */
final class JudgedRun {
    private static final int MAX_NOTES = 10;

    /**
     * Servers query their operating systems every ten seconds. This leaves time for three queries if the counts
     * differ.
     */
    private static final Duration LOOKS = Duration.ofSeconds(45);

    private final ChatOptions options;
    private final Dialect dialect;
    private final Chats chats;
    private final Plan plan;
    private final @Nullable Storage storage;
    private final List<String> arguments;

    /**
     * @param storage null if storage is not checked
     * @param arguments as typed
     */
    JudgedRun(
            ChatOptions options,
            Dialect dialect,
            Chats chats,
            Plan plan,
            @Nullable Storage storage,
            List<String> arguments) {
        this.options = options;
        this.dialect = dialect;
        this.chats = chats;
        this.plan = plan;
        this.storage = storage;
        this.arguments = arguments;
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
        Sampler sampler = options.sampling.sampler(
                options.urls.stream().map(ServerUrl::uri).toList(),
                storage == null ? null : storage.base(),
                samples,
                () -> System.nanoTime() - zeroNanos);
        try (sampler;
                ProgressLine progress = chats.progress(counters, plan);
                Lines lines = Lines.to(options.csv)) {
            sampler.start();
            progress.start();
            result = chats.run(
                    plan,
                    new Chats.Notes(
                            counters,
                            samples,
                            zeroNanos,
                            lines.lines,
                            storage == null ? null : storage.reader(plan),
                            phase));
            if (counters.joined.sum() == 0)
                throw new Unusable("nobody could join: "
                        + String.join("; ", result.history().aborted()));
            int gone = (int) TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - zeroNanos);
            RunHistory history = storage == null ? result.history() : storage.readBack(result, plan, counters);
            verdict = Checker.check(history).and(result.expectations());
            judgedNanos = System.nanoTime();
            verdict = verdict.and(look(new ConnectionsLeft(samples, gone), phase));
        } catch (IOException unwritable) {
            throw new Unusable("cannot write " + options.csv + ": " + unwritable.getMessage());
        }
        return new RunRecord(
                result.name(),
                PlanText.of(plan, dialect, options.urls.size()),
                options.urls.stream().map(ServerUrl::toString).toList(),
                Environment.here(
                        start,
                        options.urls.stream().anyMatch(ServerUrl::isLoopback),
                        LoadClient.class.getPackage().getImplementationVersion(),
                        arguments),
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
                result.rooms().stream()
                        .map(room -> new RunRecord.RoomThroughput(
                                room.room(), room.sent(), room.accepted(), room.deliveries(), room.seconds()))
                        .toList(),
                types(counters),
                findings(result, sampler, samples, phases),
                warmUp,
                storage == null ? new PlatformMetrics.None("storage was not asked") : storage.metrics());
    }

    /** Waits, with sampling active, until the servers have checked their connections after the run. */
    private static List<Check> look(ConnectionsLeft left, Consumer<String> phase) throws InterruptedException {
        if (left.isUndecided()) phase.accept("connections");
        long deadline = System.nanoTime() + LOOKS.toNanos();
        while (left.isUndecided() && System.nanoTime() < deadline) TimeUnit.MILLISECONDS.sleep(100);
        return left.checks();
    }

    private static List<Finding> findings(
            ChatRun.Result result, Sampler sampler, Samples samples, List<RunRecord.Phase> phases) {
        List<Finding> findings = new ArrayList<>(Diagnosis.of(
                samples, chatting(phases, samples), Runtime.getRuntime().availableProcessors()));
        findings.addAll(sampler.notes());
        result.notes().stream()
                .limit(MAX_NOTES)
                .map(note -> new Finding("connections", note, Finding.Level.INFO))
                .forEach(findings::add);
        return findings;
    }

    /** The chat phase; the whole run if it never reached the chat phase. */
    private static Span chatting(List<RunRecord.Phase> phases, Samples samples) {
        for (int i = 0; i < phases.size(); i++) {
            if (!phases.get(i).name().equals(RunRecord.CHAT)) continue;
            int from = phases.get(i).second();
            int to = i + 1 < phases.size() ? phases.get(i + 1).second() : samples.seconds();
            return new Span(from, Math.max(from, to));
        }
        return new Span(0, samples.seconds());
    }

    private static Map<String, Long> types(Counters counters) {
        Map<String, Long> types = new LinkedHashMap<>();
        types.put("TEXT", counters.sent.sum());
        types.put("JOIN", counters.joined.sum() + counters.rejoined.sum());
        types.put("LEAVE", counters.leaves.sum());
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
