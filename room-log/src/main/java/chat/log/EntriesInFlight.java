package chat.log;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the entries with messages that were published and have not been read back, in order. Entries whose outcome is
 * unknown, or that were written for another epoch, are republished in order and one by one, before any new entry. An
 * entry that a later one has overtaken in the log is rejected, since republishing it would change the order. On the
 * partition's loop only.
 */
final class EntriesInFlight<A> {
    /** Limit of entries that are published and not read back: a lagging reader slows its writer down. */
    private static final int MAX = 32;

    private static final byte[] DONE = {};

    private final EntryAppender appender;
    private final IncarnationHeaders headers;
    private final LogSettings settings;
    private final LongSupplier nanoTime;
    private final LogCounters counters;
    private final LogPartition.Owner<A> owner;
    private final Linger linger;
    /** Called when an entry was confirmed or failed. */
    private final Runnable changed;
    /** Called for each entry that is dropped because it was not read back in time. */
    private final Runnable overdue;

    private final Deque<Entry<A>> entries = new ArrayDeque<>();
    /** Counts the events after which entries must be republished: failures and changes of the epoch. */
    private int pass;
    /** Attempts of all entries so far. */
    private long attemptsMade;

    private long againNotBeforeNanos;

    /** Whether it is known which entries appended before the last failure are in the log. */
    private boolean settled = true;
    /**
     * Sequence of the first heartbeat appended since to find that out; 0: none. All earlier entries are read before it.
     */
    private long fence;

    private boolean fenceOutstanding;
    private long nextFenceNanos;

    private static final class Entry<A> {
        final long sequence;
        final List<A> attachments;
        final long sinceNanos;
        byte[] bytes;
        long epoch;
        long confirmedNanos;
        /** Numbers of its first and last attempt, counted over all entries; 0: no attempt yet. */
        long firstAttempt;

        long lastAttempt;
        /** The pass of the last attempt. */
        int pass;
        /** Appended, and neither confirmed nor failed. */
        boolean outstanding;
        /** The last attempt failed and its outcome is unknown. */
        boolean failed;
        /** The reader skipped a part of the log that may contain it. */
        boolean maybePassedOver;

        Entry(long sequence, byte[] bytes, List<A> attachments, long sinceNanos, long epoch) {
            this.sequence = sequence;
            this.bytes = bytes;
            this.attachments = attachments;
            this.sinceNanos = sinceNanos;
            this.epoch = epoch;
        }

        boolean wasRepublished() {
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
            Linger linger,
            Runnable changed,
            Runnable overdue) {
        this.appender = appender;
        this.headers = headers;
        this.settings = settings;
        this.nanoTime = nanoTime;
        this.counters = counters;
        this.owner = owner;
        this.linger = linger;
        this.changed = changed;
        this.overdue = overdue;
        this.againNotBeforeNanos = nanoTime.getAsLong();
    }

    boolean isEmpty() {
        return entries.isEmpty();
    }

    /** When the oldest entry was appended for the first time; {@code none} if there is none. */
    long oldestNanos(long none) {
        Entry<A> oldest = entries.peek();
        return oldest == null ? none : oldest.sinceNanos;
    }

    boolean isFull() {
        return entries.size() >= MAX;
    }

    /** @param epoch for which the entry was written */
    void publish(long sequence, byte[] bytes, List<A> attachments, long epoch) {
        Entry<A> entry = new Entry<>(sequence, bytes, attachments, nanoTime.getAsLong(), epoch);
        entries.add(entry);
        if (isFull()) counters.unreadFull.increment();
        counters.watch.published(attachments.size(), bytes.length);
        append(entry);
    }

    /**
     * Republishes the first entry whose outcome is unknown or that was written for another epoch.
     *
     * @return whether new entries may be published: none may overtake an older one
     */
    boolean republish(long epoch) {
        boolean all = true;
        for (Entry<A> entry : entries) {
            if (entry.outstanding) {
                // It will fail, or readers will drop it: later entries must follow its republished copy.
                if (entry.pass != pass || entry.epoch != epoch) return false;
                // The log may return it and accept the next one, so only one is republished at a time.
                if (entry.wasRepublished()) return false;
            } else if (entry.failed || entry.epoch != epoch) {
                all = false;
            } else if (entry.wasRepublished()) {
                // A lost leader may have confirmed it: no other entry may overtake it until it is read back.
                return false;
            }
        }
        if (all) return true;
        if (nanoTime.getAsLong() - againNotBeforeNanos < 0) return false;
        dropOverdue();
        if (!settled) {
            publishFence(epoch);
            return false;
        }
        for (Entry<A> entry : entries) {
            if (!entry.failed && entry.epoch == epoch) continue;
            if (entry.epoch != epoch) {
                entry.epoch = epoch;
                entry.bytes = EntryHeader.withEpoch(entry.bytes, epoch);
            }
            counters.publishedAgain.increment();
            append(entry);
            return false;
        }
        return true;
    }

    /**
     * Appends a heartbeat, to learn by reading it back which earlier entries are in the log. Of several entries that
     * failed together, the log may contain a later one and not an earlier one; republishing the earlier one would swap
     * the two.
     */
    private void publishFence(long epoch) {
        if (fenceOutstanding || nanoTime.getAsLong() - nextFenceNanos < 0) return;
        EntryHeader header = headers.next(EntryKind.HEARTBEAT, epoch, 0);
        if (fence == 0) fence = header.sequence();
        fenceOutstanding = true;
        nextFenceNanos = nanoTime.getAsLong() + settings.reconnect().toNanos();
        appender.append(header.sequence(), EntryBuilder.encodeEmpty(header), failure -> {
            fenceOutstanding = false;
            changed.run();
        });
    }

    /** The log is back: republishing need not wait any longer. */
    void republishNow() {
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
        if (EntryAppender.isNotWritten(failure) && !entry.wasRepublished()) {
            if (!entries.remove(entry)) return;
            counters.refused.add(entry.attachments.size());
            owner.refused(entry.attachments);
            return;
        }
        entry.failed = true; // republished when the log is back, or dropped when it is overdue
        if (entry.pass == pass) nextPass();
    }

    private void nextPass() {
        pass++;
        settled = entries.size() <= 1;
        fence = 0;
        nextFenceNanos = nanoTime.getAsLong();
        againNotBeforeNanos = nanoTime.getAsLong() + settings.reconnect().toNanos();
    }

    /** Entries are not read back although the log answers: even confirmed entries may be lost. */
    void maybeLost() {
        if (entries.isEmpty()) return;
        for (Entry<A> entry : entries) entry.failed |= !entry.outstanding;
        nextPass();
    }

    /** The reader has passed this entry of our own, of any kind, in any epoch. */
    void passed(long sequence) {
        if (fence == 0 || sequence < fence) return;
        settled = true;
        fence = 0;
    }

    /** Whether this copy of an entry answers its last attempt: one that was written for another epoch does not. */
    boolean isCurrent(EntryHeader header) {
        Entry<A> entry = find(header.sequence());
        return entry == null || entry.epoch == header.epoch();
    }

    private @Nullable Entry<A> find(long sequence) {
        for (Entry<A> entry : entries) if (entry.sequence == sequence) return entry;
        return null;
    }

    /** Removes the entry, which was read, and returns the attachments of its messages; null if it is not in flight. */
    @Nullable
    List<A> readBack(long sequence) {
        Entry<A> entry = find(sequence);
        if (entry == null) return null;
        while (removeOvertakenBy(entry)) {}
        entries.remove(entry);
        entry.bytes = DONE; // a confirm that never arrives would keep them in memory
        long now = nanoTime.getAsLong();
        counters.watch.readBack(now - entry.sinceNanos);
        linger.readBack(now - entry.sinceNanos, now);
        owner.readBack(entry.sinceNanos, entry.confirmedNanos);
        return entry.attachments;
    }

    /**
     * Removes the first entry that this one has overtaken. The log keeps the order of appending: an entry that was
     * appended before this one and has not been read is not in the log, and would follow it if it were republished. If
     * it was appended more than once, an earlier copy may be in the log.
     *
     * @return whether there was one
     */
    private boolean removeOvertakenBy(Entry<A> read) {
        for (Entry<A> entry : entries) {
            if (entry.equals(read)) return false;
            if (entry.lastAttempt > read.firstAttempt) continue;
            entries.remove(entry);
            if (entry.maybePassedOver || entry.wasRepublished()) {
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

    /** The reader skipped a gap, which may contain the entries in flight. */
    void passedOver() {
        for (Entry<A> entry : entries) entry.maybePassedOver = true;
    }

    void dropOverdue() {
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

    void dropAll() {
        Entry<A> dropped;
        while ((dropped = entries.poll()) != null) owner.outcomeUnknown(dropped.attachments);
    }
}
