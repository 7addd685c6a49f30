package chat.load.lab.sample;

import chat.load.report.Finding;
import chat.load.report.Samples;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks every probe for a sample once a second, from start to close, and writes the values into {@link Samples}. Second
 * {@code s} covers the time from {@code s} to {@code s + 1}.
 *
 * <p>A daemon thread keeps the time. Each probe runs on its own virtual thread, so a probe that blocks or fails costs
 * only its own series; {@link #notes} mentions it once.
 */
public final class Sampler implements AutoCloseable {
    /** A probe that takes longer to answer is interrupted. */
    static final Duration DEADLINE = Duration.ofSeconds(5);

    private static final Duration CLOSE = Duration.ofSeconds(1);
    /** Limits the notes of a faulty probe. */
    private static final int NOTES_PER_PROBE = 20;

    /** One sample in this number, plus one, may be late without a warning. */
    private static final int TOLERATED = 20;

    private static final long SECOND = 1_000_000_000L;

    private final Samples samples;
    private final LongSupplier nanosSinceBegin;
    private final List<String> remarks;
    private final Executor executor;
    private final List<Slot> slots;
    private final Thread timer;
    private volatile boolean closed;

    /**
     * @param nanosSinceBegin nanoseconds since the run began, the time base of {@code samples}
     * @param probes closed with the sampler
     * @param remarks notes from before the first sample
     */
    Sampler(Samples samples, LongSupplier nanosSinceBegin, List<Probe> probes, List<String> remarks) {
        this(
                samples,
                nanosSinceBegin,
                probes,
                remarks,
                task -> Thread.ofVirtual().name("sample").start(task));
    }

    Sampler(
            Samples samples,
            LongSupplier nanosSinceBegin,
            List<Probe> probes,
            List<String> remarks,
            Executor executor) {
        this.samples = samples;
        this.nanosSinceBegin = nanosSinceBegin;
        this.remarks = List.copyOf(remarks);
        this.executor = executor;
        this.slots = probes.stream().map(Slot::new).toList();
        this.timer = Thread.ofPlatform().daemon().name("sampler").unstarted(this::keepTime);
    }

    public void start() {
        timer.start();
    }

    private void keepTime() {
        while (!closed) {
            long now = nanosSinceBegin.getAsLong();
            int seconds = (int) (now / SECOND);
            tick(seconds);
            long next = (seconds + 1) * SECOND;
            // Parking may end early; a sample at 2.9 s would count for the previous second.
            while (!closed && nanosSinceBegin.getAsLong() < next)
                LockSupport.parkNanos(next - nanosSinceBegin.getAsLong());
        }
    }

    /** @param seconds since the run's beginning; the samples belong to the last of them */
    void tick(int seconds) {
        for (Slot slot : slots) slot.tick(seconds);
    }

    /** Stops sampling, and waits up to 1 s for running probes. Nothing is written afterwards. */
    @Override
    public void close() {
        if (closed) return;
        closed = true;
        LockSupport.unpark(timer);
        long deadline = System.nanoTime() + CLOSE.toNanos();
        for (Slot slot : slots) slot.end(deadline);
    }

    /** Notes about the series: failed probes and their messages. Complete after close. */
    public List<Finding> notes() {
        List<String> texts = new ArrayList<>(remarks);
        for (Slot slot : slots) texts.addAll(slot.notes());
        return texts.stream()
                .map(text -> new Finding("sampling", text, Finding.Level.INFO))
                .toList();
    }

    /** A probe and its state. The monitor guards everything except the call of the probe. */
    private final class Slot {
        private final Probe probe;
        private final Rates rates = new Rates();
        private final Set<String> texts = new LinkedHashSet<>();
        private int due;
        private boolean busy;
        private boolean ended;
        private boolean interrupted;
        private long sinceNanos;
        private @Nullable Thread thread;
        private int asked;
        private int late;
        private int failed;
        private int firstFailure;
        private String failure = "";

        Slot(Probe probe) {
            this.probe = probe;
        }

        void tick(int seconds) {
            synchronized (this) {
                if (ended || seconds < due) return;
                due = (seconds / probe.everySeconds() + 1) * probe.everySeconds();
                asked++;
                if (busy) {
                    late++;
                    boolean overdue = nanosSinceBegin.getAsLong() - sinceNanos >= DEADLINE.toNanos();
                    if (overdue && !interrupted && thread != null) {
                        interrupted = true;
                        thread.interrupt();
                    }
                    return;
                }
                busy = true;
                interrupted = false;
                sinceNanos = nanosSinceBegin.getAsLong();
            }
            executor.execute(() -> ask(seconds));
        }

        private void ask(int seconds) {
            synchronized (this) {
                thread = Thread.currentThread();
            }
            @Nullable Exception problem = null;
            try {
                probe.sample(new SecondSink(this, seconds - 1));
            } catch (Exception failure) {
                problem = failure;
            }
            synchronized (this) {
                if (problem != null && !ended && failed++ == 0) {
                    firstFailure = seconds;
                    failure = words(problem);
                }
                thread = null;
                busy = false;
                notifyAll();
            }
        }

        private static String words(Exception problem) {
            if (problem instanceof InterruptedException) return "no answer in time";
            return problem.getMessage() == null ? problem.toString() : problem.getMessage();
        }

        private void end(long deadlineNanos) {
            synchronized (this) {
                boolean interruptedHere = false;
                while (busy && System.nanoTime() < deadlineNanos && !interruptedHere) {
                    try {
                        wait(Math.max(1, (deadlineNanos - System.nanoTime()) / 1_000_000));
                    } catch (InterruptedException stop) {
                        interruptedHere = true;
                    }
                }
                ended = true;
                if (thread != null) thread.interrupt();
                if (interruptedHere) Thread.currentThread().interrupt();
            }
            probe.close();
        }

        synchronized List<String> notes() {
            List<String> notes = new ArrayList<>(texts);
            if (failed > 0)
                notes.add(String.format(
                        Locale.ROOT,
                        "%s: %d of %d samples failed, first after %d s: %s",
                        probe.name(),
                        failed,
                        asked,
                        firstFailure,
                        failure));
            // A busy machine misses some samples, above all the first one in a cold JVM; charts show the gaps.
            if (late > 1 + asked / TOLERATED)
                notes.add(String.format(
                        Locale.ROOT,
                        "%s: %d of %d samples are missing, since it took longer than %d s to answer",
                        probe.name(),
                        late,
                        asked,
                        probe.everySeconds()));
            return notes;
        }
    }

    /** Writes under the slot's monitor, so that nothing is written after the slot has ended. */
    private final class SecondSink implements Sink {
        private final Slot slot;
        /** -1 at the run's beginning: no second has passed, but counting begins. */
        private final int second;

        SecondSink(Slot slot, int second) {
            this.slot = slot;
            this.second = second;
        }

        @Override
        public void gauge(String name, double value) {
            synchronized (slot) {
                if (!slot.ended && second >= 0 && !Double.isNaN(value)) samples.put(second, name, value);
            }
        }

        @Override
        public void counter(String name, long life, double total) {
            gauge(name, slot.rates.perSecond(name, life, total, nanosSinceBegin.getAsLong()));
        }

        @Override
        public void quotient(String name, long life, double total, double perTotal) {
            gauge(name, slot.rates.quotient(name, life, total, perTotal));
        }

        @Override
        public void note(String text) {
            synchronized (slot) {
                if (slot.texts.size() < NOTES_PER_PROBE) slot.texts.add(text);
            }
        }
    }
}
