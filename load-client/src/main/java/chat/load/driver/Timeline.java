package chat.load.driver;

import chat.load.report.Counters;
import chat.load.report.Latencies;
import chat.load.report.Latencies.Metric;
import chat.load.report.Samples;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.HdrHistogram.Histogram;

/**
 * Records once a second the client's own counters and the latencies of that second. A loop hands over its histogram
 * in exchange for an empty one, so recording needs no lock. Thread-safe.
 */
final class Timeline implements AutoCloseable {
    private final Counters counters;
    private final List<Loop> loops;
    private final Samples samples;
    /** The next second to record; the last one is incomplete. */
    private int next;

    private final long startNanos;
    private final Latencies all = new Latencies();
    private final ReentrantLock collecting = new ReentrantLock();
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("timeline").factory());
    private final Series[] series;
    private Latencies spare = new Latencies();

    private static final class Series {
        private final String name;
        private final LongSupplier count;
        private final boolean gauge;
        private long last;

        Series(String name, LongSupplier count, boolean gauge) {
            this.name = name;
            this.count = count;
            this.gauge = gauge;
            this.last = gauge ? 0 : count.getAsLong();
        }

        double next() {
            long now = count.getAsLong();
            long since = now - last;
            if (!gauge) last = now;
            return gauge ? now : since;
        }
    }

    /** @param startNanos {@link System#nanoTime} of second 0 of {@code samples} */
    Timeline(Counters counters, List<Loop> loops, Samples samples, long startNanos) {
        this.counters = counters;
        this.loops = loops;
        this.samples = samples;
        this.startNanos = startNanos;
        this.next = (int) TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - startNanos);
        this.series = new Series[] {
            new Series("client.connected", counters.connected::sum, true),
            new Series("client.attempts", counters.attempts::sum, false),
            new Series("client.failedConnects", counters.failedConnects::sum, false),
            new Series("client.reconnects", counters.reconnects::sum, false),
            new Series("client.sent", counters.sent::sum, false),
            new Series("client.accepted", counters.accepted::sum, false),
            new Series("client.refused", counters.refused::sum, false),
            new Series("client.retries", counters.retries::sum, false),
            new Series("client.deliveries", counters.deliveries::sum, false),
            new Series("client.frames", counters.frames::sum, false),
            new Series("client.gaps", counters.gaps::sum, false),
            new Series("client.inFlight", this::inFlight, true),
        };
    }

    private long inFlight() {
        return counters.sent.sum() - counters.accepted.sum() - counters.refused.sum();
    }

    void start() {
        long wait = TimeUnit.SECONDS.toNanos(next + 1L) - (System.nanoTime() - startNanos);
        var unused = timer.scheduleAtFixedRate(
                this::tick, Math.max(0, wait), TimeUnit.SECONDS.toNanos(1), TimeUnit.NANOSECONDS);
    }

    private void tick() {
        int second = next++;
        for (Series one : series) samples.put(second, one.name, one.next());
        Latencies fresh = collect();
        for (Metric metric : Metric.values()) {
            Histogram histogram = fresh.of(metric);
            if (histogram.getTotalCount() == 0) continue;
            String name = "client." + metric.key();
            samples.put(second, name + ".p50", histogram.getValueAtPercentile(50) / 1000.0);
            samples.put(second, name + ".p95", histogram.getValueAtPercentile(95) / 1000.0);
            samples.put(second, name + ".p99", histogram.getValueAtPercentile(99) / 1000.0);
            samples.put(second, name + ".max", histogram.getMaxValue() / 1000.0);
        }
    }

    /** @return what all loops recorded since the last call */
    private Latencies collect() {
        Latencies fresh = new Latencies();
        for (Loop loop : loops) {
            Latencies empty = spare;
            try {
                Latencies full = loop.events.submit(() -> loop.exchange(empty)).get();
                fresh.add(full);
                full.reset();
                spare = full;
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
                spare = new Latencies();
                break;
            } catch (ExecutionException bug) {
                throw new IllegalStateException("could not collect latencies", bug.getCause());
            }
        }
        collecting.lock();
        try {
            all.add(fresh);
        } finally {
            collecting.unlock();
        }
        return fresh;
    }

    /** Returns everything recorded so far. The loops must still be running. */
    Latencies finish() throws InterruptedException {
        timer.shutdown();
        boolean unused = timer.awaitTermination(5, TimeUnit.SECONDS);
        tick();
        return all;
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
