package chat.load.driver;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Samples a counter at each full second, on an event loop, to compare parts of a run. */
final class SecondCounts {
    private final LongSupplier counter;
    private final List<Long> counts = new ArrayList<>();
    private final List<Long> nanos = new ArrayList<>();

    SecondCounts(LongSupplier counter) {
        this.counter = counter;
    }

    /** Starts to sample each second on this loop. */
    void start(Loop loop) {
        note();
        var unused = loop.events.scheduleAtFixedRate(this::note, 1, 1, TimeUnit.SECONDS);
    }

    private void note() {
        note(System.nanoTime());
    }

    synchronized void note(long now) {
        counts.add(counter.getAsLong());
        nanos.add(now);
    }

    /** Mean per second between two full seconds after the beginning; 0 if the run was shorter. */
    synchronized double mean(int from, int to) {
        if (from >= to || to >= counts.size()) return 0;
        return (counts.get(to) - counts.get(from)) / ((nanos.get(to) - nanos.get(from)) / 1e9);
    }
}
