package chat.log;

import chat.log.LogPartition.Offer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What waits in one partition to be published: one entry that grows up to its bound, whether more is taken, and who wants
 * room in it. Messages are offered on any thread; they are taken, and who wants room is called, on the partition's loop.
 */
final class WaitingMessages<A> {
    private final LogSettings settings;
    private final LongSupplier nanoTime;
    private final LogCounters counters;
    /** Calls back on the loop, where what waits is taken if it may be published. */
    private final Runnable wake;

    private final Object lock = new Object();
    private EntryBuilder<A> next;
    private long sinceNanos;
    private final List<Runnable> wantRoom = new ArrayList<>();
    private boolean woken;
    private boolean full;
    private volatile boolean shut;

    /** Those who wanted room when there was some; on the loop only. */
    private final Deque<Runnable> haveRoom = new ArrayDeque<>();

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
            if (shut) {
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
            wantRoom.add(resume);
        }
        wake.run();
    }

    /** Whether offers are refused; any thread. What waits at that moment is still to be taken. */
    void shut(boolean shut) {
        this.shut = shut;
    }

    /** Whether nothing waits; then offers are refused from now on. */
    boolean shutIfEmpty() {
        synchronized (lock) {
            if (!next.isEmpty()) return false;
            shut = true;
            return true;
        }
    }

    boolean isShut() {
        return shut;
    }

    boolean isEmpty() {
        synchronized (lock) {
            return next.isEmpty();
        }
    }

    /** Whether one did not fit, since they were {@linkplain #take taken} last. */
    boolean isFull() {
        synchronized (lock) {
            return full;
        }
    }

    /** Whether the first one has waited longer than this. */
    boolean hasWaited(long nanos) {
        synchronized (lock) {
            return !next.isEmpty() && nanoTime.getAsLong() - sinceNanos > nanos;
        }
    }

    /** Null where nothing waits: an empty builder would still be the one that others add to. */
    @Nullable
    EntryBuilder<A> take() {
        synchronized (lock) {
            woken = false;
            full = false;
            haveRoom.addAll(wantRoom);
            wantRoom.clear();
            EntryBuilder<A> taken = next;
            if (taken.isEmpty()) return null;
            next = newBuilder();
            return taken;
        }
    }

    /** Calls those who wanted room, where there is some now or there is no point in waiting for it. */
    void resumeWhoWantRoom() {
        synchronized (lock) {
            if (next.isEmpty() || shut) {
                haveRoom.addAll(wantRoom);
                wantRoom.clear();
            }
        }
        Runnable resume;
        while ((resume = haveRoom.poll()) != null) resume.run();
    }
}
