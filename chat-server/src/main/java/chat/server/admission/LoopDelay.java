package chat.server.admission;

import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * Measures how long tasks wait for the event loops. Each loop runs one empty probe task at a time. The delay of a loop
 * is the shortest wait since the last reading: one long task does not count, a queue that never empties does.
 *
 * @see <a href="https://queue.acm.org/detail.cfm?id=2209336">Controlling queue delay: the minimum wait reveals a
 *     standing queue</a>
 */
final class LoopDelay {
    private static final double NANOS_PER_MILLI = 1e6;

    private final List<Probe> probes;
    private final LongSupplier nanoClock;
    private final LongConsumer measured;

    /** @param measured receives each wait in nanoseconds, on the event loop */
    LoopDelay(List<? extends Executor> loops, LongSupplier nanoClock, LongConsumer measured) {
        this.nanoClock = nanoClock;
        this.measured = measured;
        this.probes = loops.stream().map(Probe::new).toList();
    }

    /** Submits a probe to each loop whose last probe has run. Any thread except an event loop. */
    void probe() {
        for (Probe probe : probes) probe.send();
    }

    /** The standing delay of the slowest loop since the last call, in milliseconds. */
    double takeMillis() {
        long longest = 0;
        for (Probe probe : probes) longest = Math.max(longest, probe.takeNanos());
        return longest / NANOS_PER_MILLI;
    }

    /** One loop. */
    private final class Probe implements Runnable {
        private static final long NONE = Long.MAX_VALUE;

        private final Executor loop;
        private boolean underWay;
        private long sentNanos;
        private long shortestNanos = NONE;

        Probe(Executor loop) {
            this.loop = loop;
        }

        void send() {
            synchronized (this) {
                if (underWay) return;
                underWay = true;
                sentNanos = nanoClock.getAsLong();
            }
            try {
                loop.execute(this);
            } catch (RejectedExecutionException loopIsDown) { // the server has stopped
                synchronized (this) {
                    underWay = false;
                }
            }
        }

        @Override
        public void run() {
            long waited;
            synchronized (this) { // contention lasts nanoseconds
                waited = nanoClock.getAsLong() - sentNanos;
                underWay = false;
                shortestNanos = Math.min(shortestNanos, waited);
            }
            measured.accept(waited);
        }

        synchronized long takeNanos() {
            long shortest = shortestNanos;
            shortestNanos = NONE;
            if (shortest != NONE) return shortest;
            return underWay ? nanoClock.getAsLong() - sentNanos : 0;
        }
    }
}
