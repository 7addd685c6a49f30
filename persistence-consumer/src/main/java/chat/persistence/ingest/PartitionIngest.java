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
 * One partition, from the log into the store. Everything happens on its one thread, writing too: while a batch is being
 * written nothing is read, and the log keeps what comes. So a database that is slow or gone fills no memory here.
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
    /** Null where nothing is traced. */
    private final @Nullable IngestTraces traces;

    private final CompletableFuture<Void> stopped = new CompletableFuture<>();

    private Batcher batcher;
    private @Nullable Attachment attachment;
    /** Up to where this partition is stored; null where nothing is. */
    private @Nullable Mark stored;

    private boolean flushScheduled;
    private long lastMessageNanos;
    private boolean finished;

    private volatile PartitionStatus status;
    /** Intake of the oldest message that waits, or when the write under way was begun; milliseconds, 0: neither. */
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

    /** Of the log that is read now, microseconds since 1970; 0 while it is not read, or nothing of it was. */
    private long origin() {
        if (attachment == null || status.state() != State.READING) return 0;
        Checkpoint last = attachment.reader.last();
        return last == null ? 0 : last.origin();
    }

    private Batcher newBatcher() {
        return new Batcher(partition, settings.batch(), System::nanoTime);
    }

    private LoggingEventBuilder says(Level level) {
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
     * Stores what was read, and of a log that ends with this process everything there is; completes when nothing more
     * will be done. The stop signal was given before. Any thread.
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

    /** Gives up whatever is going on. Any thread. */
    void abort() {
        loop.shutdownNow();
    }

    /** A bug in one step must not end the partition in silence: attaching anew starts from what is stored. */
    private Runnable guarded(Runnable step) {
        return () -> {
            try {
                step.run();
            } catch (RuntimeException | Error bug) {
                says(Level.ERROR).setCause(bug).log("Partition {}: unexpected; attaching anew", partition);
                detach(State.STARTING);
                attachLater(settings.retry().max());
            }
        };
    }

    private void schedule(Runnable step, Duration delay) {
        try {
            loop.schedule(guarded(step), delay.toNanos(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException hasEnded) {
            // It is stopping.
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
        announcer.notStored(named(notStored)); // the consumer may have ended before it could name them
        if (stored != null) announcer.begin(stored.position());
        batcher = newBatcher();
        if (traces != null) traces.clear();
        Attachment next = new Attachment(position.orElse(null));
        attachment = next;
        lastMessageNanos = System.nanoTime();
        report(State.ATTACHING);
        next.reader.start();
    }

    /** Those that a chat server can have written. */
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
        // Woken too early where a message came while only a position waited; never later than the shortest wait.
        flushScheduled = true;
        schedule(
                this::flushOnTime,
                Duration.ofNanos(Math.min(wait, settings.batch().age().toNanos())));
    }

    private void flushOnTime() {
        flushScheduled = false;
        if (!finished && attachment != null) flushIfDue();
    }

    /** Until it is stored, or the partition is not ours any more, or there is no more time. */
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
                    giveUp(batch);
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
            says(Level.WARN)
                    .log(
                            "Partition {}: {} message(s) or entries went to dead_letter",
                            partition,
                            outcome.deadLetters());
        oldestWaiting = batcher.oldestTimestamp(0);
        // Writing takes this thread, on which entries come: none that wait could be heard of meanwhile.
        lastMessageNanos = System.nanoTime();
        report(State.READING);
    }

    private void fenced() {
        says(Level.WARN)
                .log(
                        "Partition {}: another consumer has moved the position; looking again in {}",
                        partition,
                        settings.fenced());
        metrics.fenced();
        detach(State.FENCED);
        attachLater(settings.fenced());
    }

    private void giveUp(Batch batch) {
        says(Level.ERROR)
                .log(
                        "Partition {}: stopping with {} message(s) read and not stored; {}",
                        partition,
                        batch.messages(),
                        roomLog.outlivesItsProcess() ? "the log still has them" : "they are lost with the log");
        finish();
    }

    /** What there was to read has come when no message has for a while; a log that outlives us may keep the rest. */
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
            says(Level.ERROR)
                    .log(
                            "Partition {}: stopping before the log was read to its end; the rest is lost with it",
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

    /** One reader's time; what a reader says that was given up is not heard. */
    private final class Attachment implements LogListener {
        final LogReader reader;
        private @Nullable StoredMark resumed;
        /**
         * The log has lost its end, or is another one, and is read again from its first entry. Up to this position rows are stored
         * or in the batch, and the stored place does not move: a consumer that starts again finds the loss by it.
         */
        private long rereadsUpTo = NOTHING;

        Attachment(@Nullable StoredMark position) {
            Begin begin;
            // A log that ended with its process is known by its origin; searching it for the old place takes seconds.
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
            hear(() -> {
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

        private void hear(Runnable step) {
            if (!isOver()) guarded(step).run();
        }

        /** In a log that ends with its process: what came before the stored position, if it is still that log. */
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
            hear(() -> {
                if (!gap.reaches()) return;
                missing(gap);
                if (gap.reason() == LogGap.Reason.REPLACED) announcer.lostEnd(gap.to());
            });
        }

        private void missing(LogGap gap) {
            says(Level.WARN)
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
            // Counted by the reader; its owner publishes it again.
            hear(() -> announcer.stale(header));
        }

        @Override
        public void replaced(long knownOrigin) {
            Mark waiting = batcher.end(); // read before the loss, and written soon
            rereadsUpTo = Math.max(positionOf(stored), positionOf(waiting));
        }

        @Override
        public void malformed(long offset, byte[] bytes, MalformedEntry why) {
            hear(() -> unreadable(offset, bytes, why));
        }

        private void unreadable(long offset, byte[] bytes, MalformedEntry why) {
            Checkpoint last = reader.last();
            Mark mark = last != null && last.offset() == offset
                    ? EntryDecoder.mark(last.origin(), offset, last.run(), last.sequence())
                    : null;
            // The first of what is left of a log has no neighbour to tell the origin; the stored position's is likely
            // it.
            long origin = last != null ? last.origin() : stored != null ? stored.origin() : 0;
            long position = Position.of(origin, offset, 0);
            DeadLetter letter =
                    new DeadLetter(null, position, null, null, String.valueOf(why.getMessage()), null, null, bytes);
            add(position, new EntryRows(List.of(), List.of(letter), mark));
        }

        @Override
        public void quiet() {
            hear(announcer::again);
        }

        @Override
        public void endsEarly(Checkpoint lookedFor) {
            hear(() -> announcer.claim(lookedFor.origin()));
        }

        @Override
        public void attached() {
            if (!isOver()) report(State.READING);
        }

        @Override
        public void detached(LogUnavailable cause) {
            if (isOver()) return;
            says(Level.WARN).log("Partition {}: the log cannot be read now: {}", partition, cause.getMessage());
            report(State.ATTACHING);
        }
    }
}
