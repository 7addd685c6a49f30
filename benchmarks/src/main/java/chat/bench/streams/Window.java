package chat.bench.streams;

import org.HdrHistogram.Histogram;

/**
 * Counts the entries of one stream whose intended publish time is in a time window, for one reader. Written by the
 * reading thread, read by another.
 */
final class Window {
    private static final long HIGHEST_MICROS = 60_000_000;

    private final Histogram micros = new Histogram(HIGHEST_MICROS, 3);
    private long from = Long.MAX_VALUE;
    private long to = Long.MAX_VALUE;

    synchronized void begin(long from, long to) {
        micros.reset();
        this.from = from;
        this.to = to;
    }

    void read(byte[] entry) {
        long now = System.nanoTime();
        long meantAt = Stamp.of(entry);
        synchronized (this) {
            if (meantAt - from >= 0 && meantAt - to < 0)
                micros.recordValue(Math.clamp((now - meantAt) / 1_000, 0, HIGHEST_MICROS));
        }
    }

    synchronized void addTo(Histogram all) {
        all.add(micros);
    }

    synchronized long entries() {
        return micros.getTotalCount();
    }
}
