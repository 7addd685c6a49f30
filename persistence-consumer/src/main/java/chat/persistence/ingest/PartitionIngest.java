package chat.persistence.ingest;

import chat.kit.tracing.Traces;
import chat.log.Checkpoint;
import chat.log.EntryHeader;
import chat.log.LineFields;
import chat.log.LogCounters;
import chat.log.LogEntry;
import chat.log.LogGap;
import chat.log.LogListener;
import chat.log.LogReader;
import chat.log.LogReader.Begin;
import chat.log.LogSettings;
import chat.log.LogUnavailable;
import chat.log.MalformedEntry;
import chat.log.NotStored;
import chat.log.PartitionLoop;
import chat.log.Position;
import chat.log.RoomLog;
import chat.log.StoredThrough;
import chat.persistence.batch.Backoff;
import chat.persistence.batch.Batch;
import chat.persistence.batch.BatchStore;
import chat.persistence.batch.BatchStore.Outcome;
import chat.persistence.batch.Batcher;
import chat.persistence.batch.DeadLetter;
import chat.persistence.batch.EntryRows;
import chat.persistence.batch.Gap;
import chat.persistence.batch.Mark;
import chat.persistence.batch.StoreUnavailable;
import chat.persistence.batch.StoredMark;
import chat.persistence.batch.UnstoredMessage;
import chat.persistence.ingest.PartitionStatus.State;
import chat.protocol.RoomId;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
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
final class PartitionIngest {
    private static final Logger log = LoggerFactory.getLogger(PartitionIngest.class);
    private static final Duration STOP_STEP = Duration.ofMillis(20);
    private static final long NOTHING = -1;

    private final RoomLog roomLog;
    private final int partition;
    private final BatchStore store;
    private final IngestSettings settings;
    private final LogCounters counters;
    private final IngestMetrics metrics;
    private final DatabaseState database;
    private final StopSignal stop;
    private final Clock clock;
    private final ScheduledExecutorService loop;
    private final Backoff backoff;
    private final StoredNotifier announcer;
    /** Null if tracing is off. */
    private final @Nullable IngestTraces traces;

    private final CompletableFuture<Void> stopped = new CompletableFuture<>();

    private Batcher batcher;
    private @Nullable Attachment attachment;
    /** The stored position of this partition; null if nothing is stored. */
    private @Nullable Mark stored;

    private boolean flushScheduled;
    private long lastMessageNanos;
    private boolean finished;

    private volatile PartitionStatus status;
    /** Intake of the oldest waiting message, or the start of the write in progress; milliseconds, 0: neither. */
    private volatile long oldestWaiting;

    PartitionIngest(
            RoomLog roomLog,
            int partition,
            long run,
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
        this.store = store;
        this.settings = settings;
        this.counters = counters;
        this.metrics = metrics;
        this.database = database;
        this.stop = stop;
        this.clock = clock;
        this.traces = traces == null ? null : new IngestTraces(traces, partition);
        this.backoff =
                new Backoff(settings.retry(), () -> ThreadLocalRandom.current().nextDouble());
        this.batcher = newBatcher();
        this.status = new PartitionStatus(partition, State.STARTING, null, 0, 0);
        this.loop = PartitionLoop.named("ingest-" + partition);
        metrics.lag(partition, this::lagSeconds);
        metrics.waiting(partition, () -> status.waiting());
        metrics.state(partition, () -> status.state());
        this.announcer = new StoredNotifier(
                roomLog,
                partition,
                run,
                settings.announce(),
                settings.retry().max(),
                this::origin,
                this::schedule,
                System::nanoTime,
                metrics);
    }

    /** Epoch of the log that is being read, microseconds since 1970; 0 while nothing has been read. */
    private long origin() {
        if (attachment == null || status.state() != State.READING) return 0;
        Checkpoint last = attachment.reader.last();
        return last == null ? 0 : last.origin();
    }

    private Batcher newBatcher() {
        return new Batcher(partition, settings.batch(), System::nanoTime);
    }

    private LoggingEventBuilder logAt(Level level) {
        return log.atLevel(level).addKeyValue(LineFields.PARTITION, partition);
    }

    /** Any thread. */
    void start() {
        loop.execute(guarded(this::attach));
    }

    /** Any thread. */
    PartitionStatus status() {
        PartitionStatus now = status;
        return new PartitionStatus(partition, now.state(), now.position(), now.waiting(), lagSeconds());
    }

    private double lagSeconds() {
        long oldest = oldestWaiting;
        return oldest == 0 ? 0 : Math.max(0, clock.millis() - oldest) / 1000.0;
    }

    /**
     * Stores the messages read so far and, of an in-memory log, all remaining ones; completes once the partition has
     * stopped. Call it after giving the stop signal. Any thread.
     */
    CompletableFuture<Void> stop() {
        try {
            loop.execute(guarded(() -> {
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

    /**
     * Restarts the partition from its stored position after an unexpected exception, so that it never stops silently.
     */
    private Runnable guarded(Runnable step) {
        return () -> {
            try {
                step.run();
            } catch (RuntimeException | Error bug) {
                logAt(Level.ERROR)
                        .setCause(bug)
                        .log("Partition {}: unexpected failure; reading it again from its stored position", partition);
                detach(State.STARTING);
                attachLater(settings.retry().max());
            }
        };
    }

    private void schedule(Runnable step, Duration delay) {
        try {
            loop.schedule(guarded(step), delay.toNanos(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException hasEnded) {
            // The partition is stopping.
        }
    }

    private void attach() {
        if (finished || (stop.isGiven() && roomLog.outlivesItsProcess())) return;
        Optional<StoredMark> position;
        List<UnstoredMessage> notStored;
        try {
            position = store.position(partition);
            notStored = store.notStored(partition, -1, StoredThrough.MAX_NOT_STORED);
        } catch (StoreUnavailable unavailable) {
            database.fails(String.valueOf(unavailable.getMessage()));
            metrics.retried();
            attachLater(backoff.next());
            return;
        }
        database.works();
        backoff.reset();
        stored = position.map(StoredMark::mark).orElse(null);
        announcer.notStored(named(notStored)); // a consumer that stopped earlier may not have published them
        if (stored != null) announcer.begin(stored.position());
        batcher = newBatcher();
        if (traces != null) traces.clear();
        Attachment next = new Attachment(position.orElse(null));
        attachment = next;
        lastMessageNanos = System.nanoTime();
        report(State.ATTACHING);
        next.reader.start();
    }

    /** Messages whose room and user are valid, which excludes entries that no chat server wrote. */
    private static List<NotStored> named(List<UnstoredMessage> messages) {
        List<NotStored> named = new ArrayList<>(messages.size());
        for (UnstoredMessage message : messages) {
            String room = message.roomId();
            String user = message.userId();
            if (room != null && RoomId.isValid(room) && user != null && NotStored.isUserId(user))
                named.add(new NotStored(message.position(), message.messageId(), new RoomId(room), user));
        }
        return named;
    }

    private void attachLater(Duration delay) {
        schedule(this::attach, delay);
    }

    private void detach(State why) {
        if (attachment != null) attachment.reader.close();
        attachment = null;
        batcher = newBatcher();
        if (traces != null) traces.clear();
        oldestWaiting = 0;
        report(why);
    }

    private void report(State state) {
        Mark mark = stored;
        String position = mark == null ? null : Long.toString(mark.position());
        status = new PartitionStatus(partition, state, position, batcher.messages(), 0);
    }

    private void added() {
        if (batcher.messages() > 0 && oldestWaiting == 0) oldestWaiting = batcher.oldestTimestamp(0);
        report(State.READING);
        flushIfDue();
    }

    private void flushIfDue() {
        Batch.Cause cause = batcher.due();
        if (cause != null) write(batcher.take(cause));
        long wait = batcher.nanosUntilDue();
        if (flushScheduled || wait == Long.MAX_VALUE) return;
        // May wake up too early if a message arrived while only a position waited; never later than the shortest wait.
        flushScheduled = true;
        schedule(
                this::flushOnTime,
                Duration.ofNanos(Math.min(wait, settings.batch().age().toNanos())));
    }

    private void flushOnTime() {
        flushScheduled = false;
        if (!finished && attachment != null) flushIfDue();
    }

    /** Retries until the batch is stored, another consumer has moved the position, or the stop limit is reached. */
    private void write(Batch batch) {
        boolean again = false;
        if (oldestWaiting == 0) oldestWaiting = clock.millis();
        while (true) {
            long began = System.nanoTime();
            try {
                Outcome outcome = store.write(batch, stored, again);
                database.works();
                backoff.reset();
                switch (outcome) {
                    case Outcome.Stored done -> {
                        if (traces != null) traces.written(batch, began);
                        written(batch, done, Duration.ofNanos(System.nanoTime() - began));
                    }
                    case Outcome.Fenced fenced -> fenced();
                }
                return;
            } catch (StoreUnavailable unavailable) {
                database.fails(String.valueOf(unavailable.getMessage()));
                metrics.retried();
                again = true;
                if (!stop.pause(backoff.next())) {
                    abandon(batch);
                    return;
                }
            }
        }
    }

    private void written(Batch batch, Outcome.Stored outcome, Duration took) {
        metrics.written(batch, outcome, took);
        announcer.notStored(named(outcome.notStored()));
        if (batch.end() != null) {
            stored = batch.end();
            roomLog.release(partition, batch.end().offset());
            if (batch.messages() > 0) announcer.stored(stored.position());
            else announcer.moved(stored.position());
        }
        if (outcome.deadLetters() > 0)
            logAt(Level.WARN)
                    .log(
                            "Partition {}: wrote {} message(s) or entries to dead_letter",
                            partition,
                            outcome.deadLetters());
        oldestWaiting = batcher.oldestTimestamp(0);
        // Writing blocks the thread that receives entries, so none could arrive during the write.
        lastMessageNanos = System.nanoTime();
        report(State.READING);
    }

    private void fenced() {
        logAt(Level.WARN)
                .log(
                        "Partition {}: another consumer has moved the position; reading it again in {}",
                        partition,
                        settings.fenced());
        metrics.fenced();
        detach(State.FENCED);
        attachLater(settings.fenced());
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
        boolean drains = !roomLog.outlivesItsProcess() && status.state() != State.FENCED;
        boolean quiet = attachment != null
                && System.nanoTime() - lastMessageNanos >= settings.drainQuiet().toNanos();
        if (drains && !quiet && !stop.isOver()) {
            schedule(this::finishWhenQuiet, STOP_STEP);
            return;
        }
        if (drains && !quiet)
            logAt(Level.ERROR)
                    .log(
                            "Partition {}: stopping before the log was read to its end; the in-memory log loses the rest",
                            partition);
        boolean drained = drains && quiet;
        if (attachment != null) attachment.reader.close();
        Batch last = batcher.take(Batch.Cause.STOP);
        boolean somethingLeft = last.messages() > 0 || !last.gaps().isEmpty() || last.end() != null;
        if (attachment != null && (somethingLeft || (drained && stored != null)))
            write(drained ? last.withDrained() : last);
        finish();
    }

    private void finish() {
        if (finished) return;
        finished = true;
        if (attachment != null) attachment.reader.close();
        attachment = null;
        report(State.STOPPED);
        stopped.complete(null);
        loop.shutdown();
    }

    /** Receives the events of one reader; ignores those of a reader that was closed. */
    private final class Attachment implements LogListener {
        final LogReader reader;
        private @Nullable StoredMark resumed;
        /**
         * The log has lost its end or was replaced, and is read again from its first entry. Rows up to this position
         * are stored or in the batch, and the stored position does not move: a consumer that restarts detects the loss
         * by it.
         */
        private long rereadsUpTo = NOTHING;

        Attachment(@Nullable StoredMark position) {
            Begin begin;
            // An in-memory log is identified by its epoch; searching it for the old position would take seconds.
            if (position != null && roomLog.outlivesItsProcess()) {
                begin = new Begin.After(checkpoint(position.mark()));
                resumed = null;
            } else {
                begin = new Begin.Beginning();
                resumed = position;
            }
            reader = new LogReader(roomLog, partition, begin, LogSettings.DEFAULT, loop, 0, counters, this);
        }

        private static long positionOf(@Nullable Mark mark) {
            return mark == null ? NOTHING : mark.position();
        }

        private static Checkpoint checkpoint(Mark mark) {
            return new Checkpoint(mark.origin(), mark.offset(), mark.run(), mark.sequence());
        }

        private boolean isOver() {
            return attachment != this || finished;
        }

        @Override
        public void entry(LogEntry entry) {
            ifOpen(() -> {
                announcer.read(entry.header());
                if (alreadyStored(entry)) return;
                if (entry.messages() > 0) lastMessageNanos = System.nanoTime();
                if (traces != null) traces.read(entry);
                add(entry.position(0), EntryDecoder.decode(entry));
                announcer.proceed();
            });
        }

        private void add(long position, EntryRows rows) {
            batcher.add(position > rereadsUpTo ? rows : rows.withoutMark());
            added();
        }

        private void ifOpen(Runnable step) {
            if (!isOver()) guarded(step).run();
        }

        /** Skips entries of an in-memory log up to the stored position, if it is still the same log. */
        private boolean alreadyStored(LogEntry entry) {
            if (resumed == null) return false;
            Mark mark = resumed.mark();
            if (entry.origin() == mark.origin() && entry.offset() <= mark.offset()) return true;
            if (entry.origin() != mark.origin() && !resumed.drained())
                missing(new LogGap(
                        LogGap.Reason.REPLACED, mark.position(), Math.max(mark.position(), entry.position(0) - 1)));
            resumed = null;
            return false;
        }

        @Override
        public void gap(LogGap gap) {
            ifOpen(() -> {
                if (!gap.reaches()) return;
                missing(gap);
                if (gap.reason() == LogGap.Reason.REPLACED) announcer.lostEnd(gap.to());
            });
        }

        private void missing(LogGap gap) {
            logAt(Level.WARN)
                    .addKeyValue(LineFields.POSITION, gap.from())
                    .addKeyValue(LineFields.POSITION_TO, gap.to())
                    .log(
                            "Partition {}: the log was {} before it was read: messages between {} and {} may be missing",
                            partition,
                            gap.reason(),
                            gap.from(),
                            gap.to());
            batcher.add(new Gap(gap.reason().name(), gap.from(), gap.to()));
            added();
        }

        @Override
        public void stale(EntryHeader header) {
            // The reader counts it; its publisher publishes it again.
            ifOpen(() -> announcer.stale(header));
        }

        @Override
        public void replaced(long knownOrigin) {
            Mark waiting = batcher.end(); // read before the loss, and written soon
            rereadsUpTo = Math.max(positionOf(stored), positionOf(waiting));
        }

        @Override
        public void malformed(long offset, byte[] bytes, MalformedEntry why) {
            ifOpen(() -> unreadable(offset, bytes, why));
        }

        private void unreadable(long offset, byte[] bytes, MalformedEntry why) {
            Checkpoint last = reader.last();
            Mark mark = last != null && last.offset() == offset
                    ? EntryDecoder.mark(last.origin(), offset, last.run(), last.sequence())
                    : null;
            // The first entry left in a log has no predecessor to take the epoch from; that of the stored position is
            // the likely one.
            long origin = last != null ? last.origin() : stored != null ? stored.origin() : 0;
            long position = Position.of(origin, offset, 0);
            DeadLetter letter =
                    new DeadLetter(null, position, null, null, String.valueOf(why.getMessage()), null, null, bytes);
            add(position, new EntryRows(List.of(), List.of(letter), mark));
        }

        @Override
        public void quiet() {
            ifOpen(announcer::again);
        }

        @Override
        public void endsEarly(Checkpoint lookedFor) {
            ifOpen(() -> announcer.claim(lookedFor.origin()));
        }

        @Override
        public void attached() {
            if (!isOver()) report(State.READING);
        }

        @Override
        public void detached(LogUnavailable cause) {
            if (isOver()) return;
            logAt(Level.WARN).log("Partition {}: the log is unavailable: {}", partition, cause.getMessage());
            report(State.ATTACHING);
        }
    }
}
