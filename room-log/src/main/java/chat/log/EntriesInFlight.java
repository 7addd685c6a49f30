package chat.log;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Entries with messages that were handed to the log and have not been read back, in their order. Those whose outcome is
 * unknown, or that were written for another log, are published again, in order and one by one, before anything new. One
 * that others have overtaken in the log is not: it is refused, since it would come to stand behind them. On the
 * partition's loop only.
 */
final class EntriesInFlight<A> {
    /** Entries that may be published and not read back yet: a reader that lags slows its writer. */
    private static final int MAX = 32;

    private static final byte[] DONE = {};

    private final EntryAppender appender;
    private final IncarnationHeaders headers;
    private final LogSettings settings;
    private final LongSupplier nanoTime;
    private final LogCounters counters;
    private final LogPartition.Owner<A> owner;
    private final QueueingDelay queueing;
    /** Called when one of them was confirmed or failed. */
    private final Runnable changed;
    /** Called for each that is given up because it was not read back in time. */
    private final Runnable overdue;

    private final Deque<Entry<A>> entries = new ArrayDeque<>();
    /** Counts the events after which entries must be published again: a failure, another log. */
    private int pass;
    /** Attempts of all entries so far. */
    private long attemptsMade;

    private long againNotBeforeNanos;

    /** What stands in the log of all that was appended before the last failure is known. */
    private boolean settled = true;
    /** The first entry appended since to find that out; 0: none. When it is read, all before it has been. */
    private long fence;

    private boolean fenceOutstanding;
    private long nextFenceNanos;

    private static final class Entry<A> {
        final long sequence;
        final List<A> attachments;
        final long sinceNanos;
        byte[] bytes;
        long origin;
        long confirmedNanos;
        /** Numbers of its first and its last attempt, of those of all entries; 0: there was none yet. */
        long firstAttempt;

        long lastAttempt;
        /** The pass of the last attempt. */
        int pass;
        /** Handed to the log, neither confirmed nor failed. */
        boolean outstanding;
        /** The last attempt failed and its outcome is not known. */
        boolean failed;
        /** The reader had to pass over a part of the log where it may stand. */
        boolean maybePassedOver;

        Entry(long sequence, byte[] bytes, List<A> attachments, long sinceNanos, long origin) {
            this.sequence = sequence;
            this.bytes = bytes;
            this.attachments = attachments;
            this.sinceNanos = sinceNanos;
            this.origin = origin;
        }

        boolean wasPublishedAgain() {
            return lastAttempt != firstAttempt;
        }
    }

    EntriesInFlight(
            EntryAppender appender,
            IncarnationHeaders headers,
            LogSettings settings,
            LongSupplier nanoTime,
            LogCounters counters,
            LogPartition.Owner<A> owner,
            QueueingDelay queueing,
            Runnable changed,
            Runnable overdue) {
        this.appender = appender;
        this.headers = headers;
        this.settings = settings;
        this.nanoTime = nanoTime;
        this.counters = counters;
        this.owner = owner;
        this.queueing = queueing;
        this.changed = changed;
        this.overdue = overdue;
        this.againNotBeforeNanos = nanoTime.getAsLong();
    }

    boolean isEmpty() {
        return entries.isEmpty();
    }

    /** When the first of them was handed to the log for the first time; {@code none} where there is none. */
    long oldestNanos(long none) {
        Entry<A> oldest = entries.peek();
        return oldest == null ? none : oldest.sinceNanos;
    }

    boolean isFull() {
        return entries.size() >= MAX;
    }

    /** @param origin of the log that the entry was written for */
    void publish(long sequence, byte[] bytes, List<A> attachments, long origin) {
        Entry<A> entry = new Entry<>(sequence, bytes, attachments, nanoTime.getAsLong(), origin);
        entries.add(entry);
        if (isFull()) counters.unreadFull.increment();
        counters.watch.published(attachments.size(), bytes.length);
        append(entry);
    }

    /**
     * Publishes again the first whose outcome is unknown or that was written for another log than the one of this origin.
     *
     * @return whether new entries may follow: none may overtake an older one
     */
    boolean publishAgain(long origin) {
        boolean all = true;
        for (Entry<A> entry : entries) {
            if (entry.outstanding) {
                // It will fail, or stand in the log as one for another: what comes after it comes after its repetition.
                if (entry.pass != pass || entry.origin != origin) return false;
                // It may be returned, and what comes after it not: one by one, then.
                if (entry.wasPublishedAgain()) return false;
            } else if (entry.failed || entry.origin != origin) {
                all = false;
            } else if (entry.wasPublishedAgain()) {
                // A confirm may be about what a lost leader had: until it is read back, nothing may overtake it.
                return false;
            }
        }
        if (all) return true;
        if (nanoTime.getAsLong() - againNotBeforeNanos < 0) return false;
        giveUpOverdue();
        if (!settled) {
            askWhatIsThere(origin);
            return false;
        }
        for (Entry<A> entry : entries) {
            if (!entry.failed && entry.origin == origin) continue;
            if (entry.origin != origin) {
                entry.origin = origin;
                entry.bytes = EntryHeader.withOrigin(entry.bytes, origin);
            }
            counters.publishedAgain.increment();
            append(entry);
            return false;
        }
        return true;
    }

    /**
     * Of several entries that failed together a later one may stand in the log and an earlier one not, if the log refused
     * that one only. Publishing the earlier one again would swap the two.
     */
    private void askWhatIsThere(long origin) {
        if (fenceOutstanding || nanoTime.getAsLong() - nextFenceNanos < 0) return;
        EntryHeader header = headers.next(EntryKind.HEARTBEAT, origin, 0);
        if (fence == 0) fence = header.sequence();
        fenceOutstanding = true;
        nextFenceNanos = nanoTime.getAsLong() + settings.reconnect().toNanos();
        appender.append(header.sequence(), EntryBuilder.encodeEmpty(header), failure -> {
            fenceOutstanding = false;
            changed.run();
        });
    }

    /** The log has come back: what must be published again need not wait any longer. */
    void againAtOnce() {
        againNotBeforeNanos = nanoTime.getAsLong();
    }

    private void append(Entry<A> entry) {
        entry.lastAttempt = ++attemptsMade;
        if (entry.firstAttempt == 0) entry.firstAttempt = entry.lastAttempt;
        entry.pass = pass;
        entry.failed = false;
        entry.outstanding = true;
        appender.append(entry.sequence, entry.bytes, failure -> {
            entry.outstanding = false;
            if (failure != null) failed(entry, failure);
            else entry.confirmedNanos = nanoTime.getAsLong();
            changed.run();
        });
    }

    private void failed(Entry<A> entry, Throwable failure) {
        if (EntryAppender.isNotWritten(failure) && !entry.wasPublishedAgain()) {
            if (!entries.remove(entry)) return;
            counters.refused.add(entry.attachments.size());
            owner.refused(entry.attachments);
            return;
        }
        entry.failed = true; // published again when the log is there, or given up when it is overdue
        if (entry.pass == pass) nextPass();
    }

    private void nextPass() {
        pass++;
        settled = entries.size() <= 1;
        fence = 0;
        nextFenceNanos = nanoTime.getAsLong();
        againNotBeforeNanos = nanoTime.getAsLong() + settings.reconnect().toNanos();
    }

    /** Nothing is read back any more: what was confirmed may not be there all the same. */
    void maybeLost() {
        if (entries.isEmpty()) return;
        for (Entry<A> entry : entries) entry.failed |= !entry.outstanding;
        nextPass();
    }

    /** The reader has come by this entry of ours, of any kind, whether it counts or not. */
    void passed(long sequence) {
        if (fence == 0 || sequence < fence) return;
        settled = true;
        fence = 0;
    }

    /** Whether this copy of an entry answers its last attempt: one that was written for another log does not. */
    boolean isCurrent(EntryHeader header) {
        Entry<A> entry = find(header.sequence());
        return entry == null || entry.origin == header.origin();
    }

    private @Nullable Entry<A> find(long sequence) {
        for (Entry<A> entry : entries) if (entry.sequence == sequence) return entry;
        return null;
    }

    /** What was given with the messages of this entry, which has been read; null where it is not one of these. */
    @Nullable
    List<A> readBack(long sequence) {
        Entry<A> entry = find(sequence);
        if (entry == null) return null;
        while (refuseOvertakenBy(entry)) {}
        entries.remove(entry);
        entry.bytes = DONE; // whoever waits for its confirmation, which may never come, would keep them
        long now = nanoTime.getAsLong();
        counters.watch.readBack(now - entry.sinceNanos);
        queueing.took(now - entry.sinceNanos, now);
        owner.readBack(entry.sinceNanos, entry.confirmedNanos);
        return entry.attachments;
    }

    /**
     * The log keeps the order of appending: what was appended before this one and has not been read by now is not there, and
     * would stand behind it if it were published again. Of one that was appended more than once an earlier copy may be.
     */
    private boolean refuseOvertakenBy(Entry<A> read) {
        for (Entry<A> entry : entries) {
            if (entry.equals(read)) return false;
            if (entry.lastAttempt > read.firstAttempt) continue;
            entries.remove(entry);
            if (entry.maybePassedOver || entry.wasPublishedAgain()) {
                owner.outcomeUnknown(entry.attachments);
            } else {
                counters.overtaken.increment();
                counters.refused.add(entry.attachments.size());
                owner.refused(entry.attachments);
            }
            return true;
        }
        return false;
    }

    /** The reader could not read all: what is in flight may have been in between. */
    void passedOver() {
        for (Entry<A> entry : entries) entry.maybePassedOver = true;
    }

    void giveUpOverdue() {
        long limit = settings.overdue().toNanos();
        long now = nanoTime.getAsLong();
        Entry<A> oldest;
        while ((oldest = entries.peek()) != null && now - oldest.sinceNanos > limit) {
            entries.remove();
            counters.overdue.increment();
            overdue.run();
            owner.outcomeUnknown(oldest.attachments);
        }
    }

    void giveUpAll() {
        Entry<A> given;
        while ((given = entries.poll()) != null) owner.outcomeUnknown(given.attachments);
    }
}
