package chat.persistence.ingest;

import chat.kit.tracing.Traces;
import chat.log.LineFields;
import chat.log.LogCounters;
import chat.log.LogEntry;
import chat.log.PartitionLoop;
import chat.log.RoomLog;
import chat.persistence.batch.Batch;
import chat.persistence.batch.BatchStore;
import chat.persistence.batch.EntryRows;
import chat.persistence.batch.Gap;
import chat.persistence.batch.Mark;
import chat.persistence.batch.StoredMark;
import chat.persistence.ingest.PartitionStatus.State;
import chat.persistence.ingest.PartitionStore.Loaded;
import chat.persistence.ingest.PartitionStore.Result;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Reads one partition of the log and writes it to the store. Everything runs on the partition's one thread, including
 * writes: while a batch is being written, nothing is read and the log keeps new entries. So a slow or unavailable
 * database does not fill memory here.
 */
final class PartitionIngest implements LogAttachment.Receiver {
    private static final Logger log = LoggerFactory.getLogger(PartitionIngest.class);
    private static final Duration STOP_STEP = Duration.ofMillis(20);

    private final RoomLog roomLog;
    private final int partition;
    private final IngestSettings settings;
    private final LogCounters counters;
    private final StopSignal stop;
    private final ScheduledExecutorService loop;
    private final PartitionStore store;
    private final PartitionProgress progress;
    private final PartitionBatches batches;
    private final StoredNotifier notifier;
    private final CompletableFuture<Void> stopped = new CompletableFuture<>();

    /** Null while the partition waits for the database or for another consumer, and after it has stopped. */
    private @Nullable LogAttachment attachment;

    private long lastMessageNanos;
    private boolean finished;

    /** @param incarnation random, made at each start of the consumer */
    PartitionIngest(
            RoomLog roomLog,
            int partition,
            long incarnation,
            BatchStore store,
            IngestSettings settings,
            LogCounters counters,
            IngestMetrics metrics,
            DatabaseState database,
            StopSignal stop,
            Clock clock,
            @Nullable Traces traces) {
        this.roomLog = roomLog;
        this.partition = partition;
        this.settings = settings;
        this.counters = counters;
        this.stop = stop;
        this.store = new PartitionStore(store, partition, settings.retry(), database, stop, metrics);
        this.progress = new PartitionProgress(partition, clock);
        progress.register(metrics);
        this.batches = new PartitionBatches(
                partition, settings.batch(), this::schedule, System::nanoTime, traces, this::write);
        this.loop = PartitionLoop.named("ingest-" + partition);
        this.notifier = new StoredNotifier(
                roomLog,
                partition,
                incarnation,
                settings.notificationInterval(),
                settings.retry().max(),
                this::epoch,
                this::schedule,
                System::nanoTime,
                metrics);
    }

    /** Epoch of the log that is being read, microseconds since 1970; 0 while nothing has been read. */
    private long epoch() {
        return attachment == null || progress.state() != State.READING ? 0 : attachment.epoch();
    }

    private LoggingEventBuilder logAt(Level level) {
        return log.atLevel(level).addKeyValue(LineFields.PARTITION, partition);
    }

    /** Any thread. */
    void start() {
        loop.execute(() -> guard(this::attach));
    }

    /** Any thread. */
    PartitionStatus status() {
        return progress.status();
    }

    /**
     * Stores the messages read so far and, of an in-memory log, all remaining ones; completes once the partition has
     * stopped. Call it after giving the stop signal. Any thread.
     */
    CompletableFuture<Void> stop() {
        try {
            loop.execute(() -> guard(() -> {
                lastMessageNanos = System.nanoTime();
                finishWhenQuiet();
            }));
        } catch (RejectedExecutionException hasEnded) {
            stopped.complete(null);
        }
        return stopped;
    }

    /** Stops at once, without storing. Any thread. */
    void abort() {
        loop.shutdownNow();
    }

    private void schedule(Runnable step, Duration delay) {
        try {
            loop.schedule(() -> guard(step), delay.toNanos(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException hasEnded) {
            // The partition is stopping.
        }
    }

    /** Restarts the partition from its stored position after an unexpected exception: it must not stop silently. */
    @Override
    public void guard(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error bug) {
            logAt(Level.ERROR)
                    .setCause(bug)
                    .log("Partition {}: unexpected failure; reading it again from its stored position", partition);
            detach(State.STARTING);
            schedule(this::attach, settings.retry().max());
        }
    }

    private void attach() {
        if (finished || (stop.isGiven() && roomLog.outlivesItsProcess())) return;
        store.load().ifPresentOrElse(this::attach, () -> schedule(this::attach, store.retryDelay()));
    }

    private void attach(Loaded loaded) {
        StoredMark position = loaded.position();
        notifier.notStored(loaded.notStored()); // a consumer that stopped earlier may not have published them
        if (position != null) notifier.begin(position.mark().position());
        batches.discard();
        attachment = new LogAttachment(roomLog, partition, position, loop, counters, notifier, this);
        lastMessageNanos = System.nanoTime();
        progress.attaching(store.position());
        attachment.start();
    }

    private void detach(State why) {
        if (attachment != null) attachment.close();
        attachment = null;
        batches.discard();
        progress.closed(why);
    }

    @Override
    public void attached() {
        progress.logAttached();
    }

    @Override
    public void detached() {
        progress.logDetached();
    }

    @Override
    public void entry(LogEntry entry, EntryRows rows) {
        if (entry.messages() > 0) lastMessageNanos = System.nanoTime();
        batches.add(entry, rows);
        received();
    }

    @Override
    public void unreadable(EntryRows deadLetter) {
        batches.add(deadLetter);
        received();
    }

    @Override
    public void missing(Gap gap) {
        batches.add(gap);
        received();
    }

    private void received() {
        progress.read(batches.messages(), batches.oldestTimestamp());
        batches.flushIfDue();
    }

    @Override
    public @Nullable Mark stored() {
        return store.position();
    }

    @Override
    public @Nullable Mark storedOrWaiting() {
        Mark stored = store.position();
        Mark waiting = batches.end();
        if (stored == null || waiting == null) return stored == null ? waiting : stored;
        return waiting.position() > stored.position() ? waiting : stored;
    }

    private void write(Batch batch) {
        progress.writing();
        switch (store.write(batch)) {
            case Result.Stored stored -> written(batch, stored);
            case Result.Fenced fenced -> fenced();
            case Result.TimedOut timedOut -> abandon(batch);
        }
    }

    private void written(Batch batch, Result.Stored result) {
        batches.stored(batch, result.began());
        notifier.notStored(result.notStored());
        Mark end = batch.end();
        if (end != null) {
            roomLog.release(partition, end.offset());
            if (batch.messages() > 0) notifier.stored(end.position());
            else notifier.moved(end.position());
        }
        if (result.deadLetters() > 0)
            logAt(Level.WARN)
                    .log(
                            "Partition {}: wrote {} message(s) or entries to dead_letter",
                            partition,
                            result.deadLetters());
        // Writing blocks the thread that receives entries, so none could arrive during the write.
        lastMessageNanos = System.nanoTime();
        progress.stored(store.position());
    }

    private void fenced() {
        logAt(Level.WARN)
                .log(
                        "Partition {}: another consumer has moved the position; reading it again in {}",
                        partition,
                        settings.fenced());
        detach(State.FENCED);
        schedule(this::attach, settings.fenced());
    }

    private void abandon(Batch batch) {
        logAt(Level.ERROR)
                .log(
                        "Partition {}: stopping with {} message(s) read and not stored; {}",
                        partition,
                        batch.messages(),
                        roomLog.outlivesItsProcess() ? "the log still has them" : "the in-memory log loses them");
        finish();
    }

    /**
     * Finishes once no message has arrived for a while, which means that the log was read to its end. A durable log
     * keeps the rest for the next start.
     */
    private void finishWhenQuiet() {
        if (finished) return;
        boolean drains = !roomLog.outlivesItsProcess() && progress.state() != State.FENCED;
        boolean quiet = attachment != null
                && System.nanoTime() - lastMessageNanos >= settings.drainQuiet().toNanos();
        if (drains && !quiet && !stop.isOver()) {
            schedule(this::finishWhenQuiet, STOP_STEP);
            return;
        }
        if (drains && !quiet)
            logAt(Level.ERROR)
                    .log(
                            "Partition {}: stopping before the log was read to its end;"
                                    + " the in-memory log loses the rest",
                            partition);
        if (attachment != null) writeLast(attachment, drains && quiet);
        finish();
    }

    private void writeLast(LogAttachment last, boolean drained) {
        last.close();
        Batch batch = batches.takeLast();
        boolean somethingLeft = batch.messages() > 0 || !batch.gaps().isEmpty() || batch.end() != null;
        if (somethingLeft || (drained && store.position() != null)) write(drained ? batch.withDrained() : batch);
    }

    private void finish() {
        if (finished) return;
        finished = true;
        if (attachment != null) attachment.close();
        attachment = null;
        progress.stopped();
        stopped.complete(null);
        loop.shutdown();
    }
}
