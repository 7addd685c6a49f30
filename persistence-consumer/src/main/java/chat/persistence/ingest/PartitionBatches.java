package chat.persistence.ingest;

import chat.kit.tracing.Traces;
import chat.log.LogEntry;
import chat.persistence.batch.Batch;
import chat.persistence.batch.BatchSettings;
import chat.persistence.batch.Batcher;
import chat.persistence.batch.EntryRows;
import chat.persistence.batch.Gap;
import chat.persistence.batch.Mark;
import java.time.Duration;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Collects what a partition reads into batches, and passes each on when it is due: when it is full, or on time. Holds
 * one batch at a time. Confined to the partition's thread.
 */
final class PartitionBatches {
    private final int partition;
    private final BatchSettings settings;
    private final BiConsumer<Runnable, Duration> later;
    private final LongSupplier nanoClock;
    private final Consumer<Batch> due;
    /** Null if tracing is off. */
    private final @Nullable IngestTraces traces;

    private Batcher batcher;
    private boolean scheduled;

    /**
     * @param later runs a step on the partition's thread after a delay
     * @param nanoClock as {@link System#nanoTime}
     * @param due receives each batch; no entry is added until it returns
     */
    PartitionBatches(
            int partition,
            BatchSettings settings,
            BiConsumer<Runnable, Duration> later,
            LongSupplier nanoClock,
            @Nullable Traces traces,
            Consumer<Batch> due) {
        this.partition = partition;
        this.settings = settings;
        this.later = later;
        this.nanoClock = nanoClock;
        this.due = due;
        this.traces = traces == null ? null : new IngestTraces(traces, partition);
        this.batcher = newBatcher();
    }

    private Batcher newBatcher() {
        return new Batcher(partition, settings, nanoClock);
    }

    void add(LogEntry entry, EntryRows rows) {
        if (traces != null) traces.read(entry);
        batcher.add(rows);
    }

    /** Adds an entry that could not be read. */
    void add(EntryRows deadLetter) {
        batcher.add(deadLetter);
    }

    void add(Gap gap) {
        batcher.add(gap);
    }

    /** Messages that wait. */
    int messages() {
        return batcher.messages();
    }

    /** Intake time of the first message that waits, milliseconds since 1970; 0 if there is none. */
    long oldestTimestamp() {
        return batcher.oldestTimestamp(0);
    }

    /** The position that the current batch reaches; null if it does not move the position. */
    @Nullable
    Mark end() {
        return batcher.end();
    }

    /** Passes the batch on if it is due; otherwise ensures that this happens on time. */
    void flushIfDue() {
        Batch.Cause cause = batcher.due();
        if (cause != null) due.accept(batcher.take(cause));
        long wait = batcher.nanosUntilDue();
        if (scheduled || wait == Long.MAX_VALUE) return;
        // May wake up too early if a message arrived while only a position waited; never later than the shortest wait.
        scheduled = true;
        later.accept(
                this::flushOnTime,
                Duration.ofNanos(Math.min(wait, settings.age().toNanos())));
    }

    private void flushOnTime() {
        scheduled = false;
        flushIfDue();
    }

    /** Closes the last batch, which may be empty. */
    Batch takeLast() {
        return batcher.take(Batch.Cause.STOP);
    }

    /** Drops what waits: it will be read again. */
    void discard() {
        batcher = newBatcher();
        if (traces != null) traces.clear();
    }

    /**
     * A batch was stored.
     *
     * @param began when the attempt that committed it began, as {@link System#nanoTime}
     */
    void stored(Batch batch, long began) {
        if (traces != null) traces.written(batch, began);
    }
}
