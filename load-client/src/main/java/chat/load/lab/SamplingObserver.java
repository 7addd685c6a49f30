package chat.load.lab;

import chat.load.check.Verdict.Check;
import chat.load.lab.diagnosis.ConnectionsLeft;
import chat.load.lab.diagnosis.Diagnosis;
import chat.load.lab.diagnosis.DuplicatesCounted;
import chat.load.lab.diagnosis.Span;
import chat.load.lab.sample.SampleSettings;
import chat.load.lab.sample.Sampler;
import chat.load.lab.sample.Sources;
import chat.load.lab.sample.Targets;
import chat.load.report.Finding;
import chat.load.report.RunRecord;
import chat.load.report.RunRecord.Phase;
import chat.load.report.Samples;
import chat.load.run.RunObserver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** Samples machine, processes and metrics once per second, and diagnoses the run from the samples. */
public final class SamplingObserver implements RunObserver {
    /**
     * Servers query their operating systems every ten seconds. This leaves time for three queries if the counts
     * differ.
     */
    private static final Duration CONNECTION_CHECKS = Duration.ofSeconds(45);

    private static final Duration COUNTERS = Duration.ofSeconds(5);

    private final int servers;
    private final Samples samples;
    private final Sampler sampler;

    /** @param nanosSinceBegin nanoseconds since the run began */
    public SamplingObserver(Targets targets, SampleSettings settings, Samples samples, LongSupplier nanosSinceBegin) {
        this.servers = targets.servers().size();
        this.samples = samples;
        this.sampler = Sources.sampler(targets, settings, samples, nanosSinceBegin);
    }

    @Override
    public void start() {
        sampler.start();
    }

    @Override
    public void awaitCounters() throws InterruptedException {
        DuplicatesCounted duplicates = new DuplicatesCounted(samples);
        await(() -> !duplicates.isKnown(servers), COUNTERS);
    }

    /** Waits, with sampling active, until the servers have counted duplicates and checked their connections. */
    @Override
    public List<Check> awaitChecks(Ended run, Consumer<String> phase) throws InterruptedException {
        ConnectionsLeft left = new ConnectionsLeft(samples, run.second());
        DuplicatesCounted duplicates = new DuplicatesCounted(samples);
        if (left.isUndecided()) phase.accept("connections");
        await(() -> left.isUndecided() || duplicates.isUndecided(run.duplicates()), CONNECTION_CHECKS);
        List<Check> checks = new ArrayList<>(left.checks());
        checks.addAll(duplicates.checks(run.duplicates()));
        return checks;
    }

    private static void await(BooleanSupplier undecided, Duration limit) throws InterruptedException {
        long deadline = System.nanoTime() + limit.toNanos();
        while (undecided.getAsBoolean() && System.nanoTime() < deadline) TimeUnit.MILLISECONDS.sleep(100);
    }

    @Override
    public void close() {
        sampler.close();
    }

    @Override
    public List<Finding> findings(List<Phase> phases) {
        List<Finding> findings = new ArrayList<>(
                Diagnosis.of(samples, chat(phases), Runtime.getRuntime().availableProcessors()));
        findings.addAll(sampler.notes());
        return findings;
    }

    /** The chat phase; the whole run if it never reached the chat phase. */
    private Span chat(List<Phase> phases) {
        for (int i = 0; i < phases.size(); i++) {
            if (!phases.get(i).name().equals(RunRecord.CHAT)) continue;
            int from = phases.get(i).second();
            int to = i + 1 < phases.size() ? phases.get(i + 1).second() : samples.seconds();
            return new Span(from, Math.max(from, to));
        }
        return new Span(0, samples.seconds());
    }
}
