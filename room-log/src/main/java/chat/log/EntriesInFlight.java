package chat.log;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Entries with messages that were handed to the log and have not been read back, in their order. Those whose outcome is
 * unknown, or that were written for another log, are published again, in order and one by one, before anything new. On
 * the partition's loop only.
 */
final class EntriesInFlight<A> {
    /** Entries that may be published and not read back yet: a reader that lags slows its writer. */
    private static final int MAX = 32;

    private final EntryAppender appender;
    private final LogSettings settings;
    private final LongSupplier nanoTime;
    private final LogCounters counters;
    private final LogPartition.Owner<A> owner;
    /** Called when one of them was confirmed or failed. */
    private final Runnable changed;

    private final Deque<Entry<A>> entries = new ArrayDeque<>();
    /** Counts the events after which entries must be published again: a failure, another log. */
    private int pass;

    private long againNotBeforeNanos;

    private static final class Entry<A> {
        final long sequence;
        final List<A> attachments;
        final long sinceNanos;
        byte[] bytes;
        long origin;
        int attempts;
        /** The pass of the last attempt. */
        int pass;
        /** Handed to the log, neither confirmed nor failed. */
        boolean outstanding;
        /** The last attempt failed and its outcome is not known. */
        boolean failed;

        Entry(long sequence, byte[] bytes, List<A> attachments, long sinceNanos, long origin) {
            this.sequence = sequence;
            this.bytes = bytes;
            this.attachments = attachments;
            this.sinceNanos = sinceNanos;
            this.origin = origin;
        }
    }

    EntriesInFlight(
            EntryAppender appender,
            LogSettings settings,
            LongSupplier nanoTime,
            LogCounters counters,
            LogPartition.Owner<A> owner,
            Runnable changed) {
        this.appender = appender;
        this.settings = settings;
        this.nanoTime = nanoTime;
        this.counters = counters;
        this.owner = owner;
        this.changed = changed;
        this.againNotBeforeNanos = nanoTime.getAsLong();
    }

    boolean isEmpty() {
        return entries.isEmpty();
    }

    boolean isFull() {
        return entries.size() >= MAX;
    }

    /** @param origin of the log that the entry was written for */
    void publish(long sequence, byte[] bytes, List<A> attachments, long origin) {
        Entry<A> entry = new Entry<>(sequence, bytes, attachments, nanoTime.getAsLong(), origin);
        entries.add(entry);
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
                if (entry.attempts > 1) return false;
            } else if (entry.failed || entry.origin != origin) {
                all = false;
            }
        }
        if (all) return true;
        if (nanoTime.getAsLong() - againNotBeforeNanos < 0) return false;
        giveUpOverdue();
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

    /** The log has come back: what must be published again need not wait any longer. */
    void againAtOnce() {
        againNotBeforeNanos = nanoTime.getAsLong();
    }

    private void append(Entry<A> entry) {
        entry.attempts++;
        entry.pass = pass;
        entry.failed = false;
        entry.outstanding = true;
        appender.append(entry.bytes, failure -> {
            entry.outstanding = false;
            if (failure != null) failed(entry, failure);
            changed.run();
        });
    }

    private void failed(Entry<A> entry, Throwable failure) {
        if (EntryAppender.isNotWritten(failure) && entry.attempts == 1) {
            if (!entries.remove(entry)) return;
            counters.refused.add(entry.attachments.size());
            owner.refused(entry.attachments);
            return;
        }
        entry.failed = true; // published again when the log is there, or given up when it is overdue
        if (entry.pass == pass) {
            pass++;
            againNotBeforeNanos = nanoTime.getAsLong() + settings.reconnect().toNanos();
        }
    }

    /** What was given with the messages of this entry, which has been read; null where it is not one of these. */
    @Nullable
    List<A> readBack(long sequence) {
        for (Entry<A> entry : entries) {
            if (entry.sequence != sequence) continue;
            entries.remove(entry);
            return entry.attachments;
        }
        return null;
    }

    void giveUpOverdue() {
        long overdue = settings.overdue().toNanos();
        long now = nanoTime.getAsLong();
        Entry<A> oldest;
        while ((oldest = entries.peek()) != null && now - oldest.sinceNanos > overdue) {
            entries.remove();
            counters.overdue.increment();
            owner.outcomeUnknown(oldest.attachments);
        }
    }

    void giveUpAll() {
        Entry<A> given;
        while ((given = entries.poll()) != null) owner.outcomeUnknown(given.attachments);
    }
}
