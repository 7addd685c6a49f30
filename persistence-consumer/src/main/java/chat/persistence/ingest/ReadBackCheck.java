package chat.persistence.ingest;

import chat.log.LogSettings;
import java.time.Duration;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Checks that the entries that this consumer publishes in a partition are read back: a broker may lose entries that it
 * has confirmed, or stop confirming. Confined to the partition's thread.
 */
final class ReadBackCheck {
    /**
     * Time until an entry must be read back. It doubles after each miss, up to {@link #MAX_PATIENCE}: a reader with
     * hours to catch up receives it late, and a broker that blocks publishers delivers none.
     */
    private static final Duration PATIENCE = LogSettings.DEFAULT.silence();

    private static final Duration MAX_PATIENCE = Duration.ofHours(1);
    private static final Duration LATE = Duration.ofSeconds(1);

    private final BooleanSupplier readable;
    private final BiConsumer<Runnable, Duration> later;
    private final LongSupplier nanoClock;
    private final Runnable missed;

    /** Sequence of the last entry published; they ascend from 1. */
    private long published;
    /** The highest sequence that was read back. */
    private long readBack;

    private boolean scheduled;
    private Duration patience = PATIENCE;

    /**
     * @param readable whether the log is being read
     * @param later runs a step on the partition's thread after a delay
     * @param missed called if an entry was not read back in time
     */
    ReadBackCheck(
            BooleanSupplier readable, BiConsumer<Runnable, Duration> later, LongSupplier nanoClock, Runnable missed) {
        this.readable = readable;
        this.later = later;
        this.nanoClock = nanoClock;
        this.missed = missed;
    }

    /** A new reader starts, perhaps after the entries published so far. */
    void readerStarts() {
        readBack = published;
    }

    /** An entry was published. */
    void published(long sequence) {
        published = sequence;
        schedule();
    }

    /** An entry was read, even if all readers drop it: the connection works. */
    void read(long sequence) {
        readBack = Math.max(readBack, sequence);
    }

    private void schedule() {
        if (scheduled) return;
        scheduled = true;
        long expected = published;
        long due = nanoClock.getAsLong() + patience.toNanos();
        later.accept(() -> check(expected, due), patience);
    }

    private void check(long expected, long due) {
        scheduled = false;
        boolean read = readBack >= expected;
        boolean isReadable = readable.getAsBoolean();
        // After a long write, entries that arrived during it are still queued behind this step.
        boolean late = nanoClock.getAsLong() - due > LATE.toNanos();
        if (read || !isReadable) patience = PATIENCE;
        if (!read && isReadable && !late) {
            Duration doubled = patience.multipliedBy(2);
            patience = doubled.compareTo(MAX_PATIENCE) < 0 ? doubled : MAX_PATIENCE;
            missed.run();
        }
        if (readBack < published) schedule();
    }
}
