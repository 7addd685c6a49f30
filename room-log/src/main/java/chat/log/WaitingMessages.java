package chat.log;

import chat.log.LogPartition.Offer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Queues the messages of one partition until they are published, as one entry that grows to its maximum size. Senders
 * that found it full wait here for space. Any thread may offer messages; they are taken, and waiting senders are
 * called, on the partition's loop.
 */
final class WaitingMessages<A> {
    private final LogSettings settings;
    private final LongSupplier nanoTime;
    private final LogCounters counters;
    /** Schedules a call on the loop that takes the messages if they may be published. */
    private final Runnable wake;

    private final Object lock = new Object();
    private EntryBuilder<A> next;
    private long sinceNanos;
    private final List<Runnable> waitForSpace = new ArrayList<>();
    private boolean woken;
    private boolean full;
    private volatile boolean closed;

    /** Callbacks to run now because there is space; on the loop only. */
    private final Deque<Runnable> haveSpace = new ArrayDeque<>();

    WaitingMessages(LogSettings settings, LongSupplier nanoTime, LogCounters counters, Runnable wake) {
        this.settings = settings;
        this.nanoTime = nanoTime;
        this.counters = counters;
        this.wake = wake;
        this.next = newBuilder();
    }

    private EntryBuilder<A> newBuilder() {
        return new EntryBuilder<>(settings.maxEntryBytes(), settings.maxEntryMessages());
    }

    /** Any thread. */
    Offer offer(OutgoingMessage message, A attachment) {
        synchronized (lock) {
            if (closed) {
                counters.refused.increment();
                return Offer.UNAVAILABLE;
            }
            if (next.isEmpty()) sinceNanos = nanoTime.getAsLong();
            if (!next.add(message, attachment)) {
                full = true;
                return Offer.FULL;
            }
            if (woken) return Offer.TAKEN;
            woken = true;
        }
        wake.run();
        return Offer.TAKEN;
    }

    /** Any thread; {@code resume} is called once, on the loop. */
    void whenRoom(Runnable resume) {
        synchronized (lock) {
            waitForSpace.add(resume);
        }
        wake.run();
    }

    /** While closed, offers are rejected; messages that wait already can still be taken. Any thread. */
    void setClosed(boolean closed) {
        this.closed = closed;
    }

    /** Closes if no message waits, in one step with the check. */
    boolean closeIfEmpty() {
        synchronized (lock) {
            if (!next.isEmpty()) return false;
            closed = true;
            return true;
        }
    }

    boolean isClosed() {
        return closed;
    }

    boolean isEmpty() {
        synchronized (lock) {
            return next.isEmpty();
        }
    }

    /** Whether a message did not fit since the last {@link #take}. */
    boolean isFull() {
        synchronized (lock) {
            return full;
        }
    }

    /** Whether the oldest message has waited longer than this. */
    boolean hasWaited(long nanos) {
        synchronized (lock) {
            return !next.isEmpty() && nanoTime.getAsLong() - sinceNanos > nanos;
        }
    }

    /** Returns null if no message waits: an empty builder stays the one that offers are added to. */
    @Nullable
    EntryBuilder<A> take() {
        synchronized (lock) {
            woken = false;
            full = false;
            haveSpace.addAll(waitForSpace);
            waitForSpace.clear();
            EntryBuilder<A> taken = next;
            if (taken.isEmpty()) return null;
            next = newBuilder();
            return taken;
        }
    }

    /** Calls the senders that wait for space if there is some, or if offers are rejected anyway. */
    void resumeSenders() {
        synchronized (lock) {
            if (next.isEmpty() || closed) {
                haveSpace.addAll(waitForSpace);
                waitForSpace.clear();
            }
        }
        Runnable resume;
        while ((resume = haveSpace.poll()) != null) resume.run();
    }
}
