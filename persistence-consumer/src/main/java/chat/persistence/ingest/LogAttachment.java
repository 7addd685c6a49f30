package chat.persistence.ingest;

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
import chat.log.Position;
import chat.log.RoomLog;
import chat.persistence.batch.DeadLetter;
import chat.persistence.batch.EntryRows;
import chat.persistence.batch.Gap;
import chat.persistence.batch.Mark;
import chat.persistence.batch.StoredMark;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads one partition of the log from its stored position and passes on the rows to store. Decides which entries are
 * stored already, which messages are missing, and whether an entry may move the stored position. Each restart of the
 * partition makes a new one. Confined to the partition's thread.
 */
final class LogAttachment implements LogListener, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(LogAttachment.class);
    private static final long NOTHING = -1;

    private final int partition;
    private final StoredNotifier notifier;
    private final Receiver receiver;
    private final LogReader reader;
    /**
     * The position to continue after if the log still has the same epoch; null once that is decided, or if the reader
     * verifies the position.
     */
    private @Nullable StoredMark resumed;
    /**
     * The log has lost its end or was replaced, and is read again from its first entry. Rows up to this position are
     * stored or in the batch, and the stored position does not move: a consumer that restarts detects the loss by it.
     */
    private long rereadsUpTo = NOTHING;

    private boolean closed;

    /** Stores what was read. Every call is on the partition's thread and before {@link #close}. */
    interface Receiver {
        /** Runs the other calls; handles their exceptions. */
        void guard(Runnable step);

        /** The next entry and its rows. */
        void entry(LogEntry entry, EntryRows rows);

        /** An entry that cannot be read, as a dead letter. */
        void unreadable(EntryRows deadLetter);

        /** Messages are missing before the next entry. */
        void missing(Gap gap);

        /** The reader reads the log that it knows. */
        void attached();

        /** The reader has lost the log and subscribes again. */
        void detached();

        /** The stored position; null if nothing is stored. */
        @Nullable
        Mark stored();

        /** The end of what is stored or waits to be stored; null if there is nothing. */
        @Nullable
        Mark storedOrWaiting();
    }

    /**
     * @param position stored position; null if nothing is stored
     * @param notifier receives the entries that it has published
     */
    LogAttachment(
            RoomLog roomLog,
            int partition,
            @Nullable StoredMark position,
            ScheduledExecutorService loop,
            LogCounters counters,
            StoredNotifier notifier,
            Receiver receiver) {
        this.partition = partition;
        this.notifier = notifier;
        this.receiver = receiver;
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

    private static Checkpoint checkpoint(Mark mark) {
        return new Checkpoint(mark.epoch(), mark.offset(), mark.incarnation(), mark.sequence());
    }

    void start() {
        reader.start();
    }

    /** Ends the calls of the receiver. */
    @Override
    public void close() {
        closed = true;
        reader.close();
    }

    /** Epoch of the last entry that was read, microseconds since 1970; 0 if none was. */
    long epoch() {
        Checkpoint last = reader.last();
        return last == null ? 0 : last.epoch();
    }

    private void ifOpen(Runnable step) {
        if (!closed) receiver.guard(step);
    }

    @Override
    public void entry(LogEntry entry) {
        ifOpen(() -> {
            notifier.read(entry.header());
            if (isStored(entry) || closed) return; // storing the gap before it may have ended this attachment
            receiver.entry(entry, movable(entry.position(0), EntryDecoder.decode(entry)));
            notifier.proceed();
        });
    }

    /** Skips entries of an in-memory log up to the stored position, if it is still the same log. */
    private boolean isStored(LogEntry entry) {
        if (resumed == null) return false;
        Mark mark = resumed.mark();
        if (entry.epoch() == mark.epoch() && entry.offset() <= mark.offset()) return true;
        if (entry.epoch() != mark.epoch() && !resumed.drained())
            missing(new LogGap(
                    LogGap.Reason.REPLACED, mark.position(), Math.max(mark.position(), entry.position(0) - 1)));
        resumed = null;
        return false;
    }

    /** The rows of an entry; those of an entry that is read again do not move the stored position. */
    private EntryRows movable(long position, EntryRows rows) {
        return position > rereadsUpTo ? rows : rows.withoutMark();
    }

    @Override
    public void gap(LogGap gap) {
        ifOpen(() -> {
            if (!gap.reaches()) return;
            missing(gap);
            if (gap.reason() == LogGap.Reason.REPLACED) notifier.lostEnd(gap.to());
        });
    }

    private void missing(LogGap gap) {
        log.atWarn()
                .addKeyValue(LineFields.PARTITION, partition)
                .addKeyValue(LineFields.POSITION, gap.from())
                .addKeyValue(LineFields.POSITION_TO, gap.to())
                .log(
                        "Partition {}: the log was {} before it was read:"
                                + " messages between {} and {} may be missing",
                        partition,
                        gap.reason(),
                        gap.from(),
                        gap.to());
        receiver.missing(new Gap(gap.reason().name(), gap.from(), gap.to()));
    }

    @Override
    public void stale(EntryHeader header) {
        // The reader counts it; its publisher publishes it again.
        ifOpen(() -> notifier.stale(header));
    }

    @Override
    public void replaced(long knownEpoch) {
        Mark end = receiver.storedOrWaiting();
        rereadsUpTo = end == null ? NOTHING : end.position();
    }

    @Override
    public void malformed(long offset, byte[] bytes, MalformedEntry why) {
        ifOpen(() -> {
            Checkpoint last = reader.last();
            Mark mark = last != null && last.offset() == offset
                    ? EntryDecoder.mark(last.epoch(), offset, last.incarnation(), last.sequence())
                    : null;
            long position = Position.of(likelyEpoch(last), offset, 0);
            DeadLetter letter =
                    new DeadLetter(null, position, null, null, String.valueOf(why.getMessage()), null, null, bytes);
            receiver.unreadable(movable(position, new EntryRows(List.of(), List.of(letter), mark)));
        });
    }

    /** The first entry left in a log has no predecessor to take the epoch from; the stored position's is likely. */
    private long likelyEpoch(@Nullable Checkpoint last) {
        if (last != null) return last.epoch();
        Mark stored = receiver.stored();
        return stored == null ? 0 : stored.epoch();
    }

    @Override
    public void quiet() {
        ifOpen(notifier::again);
    }

    @Override
    public void endsEarly(Checkpoint lookedFor) {
        ifOpen(() -> notifier.claim(lookedFor.epoch()));
    }

    @Override
    public void attached() {
        if (!closed) receiver.attached();
    }

    @Override
    public void detached(LogUnavailable cause) {
        if (closed) return;
        log.atWarn()
                .addKeyValue(LineFields.PARTITION, partition)
                .log("Partition {}: the log is unavailable: {}", partition, cause.getMessage());
        receiver.detached();
    }
}
