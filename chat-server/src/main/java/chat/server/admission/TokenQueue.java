package chat.server.admission;

import io.github.bucket4j.Bucket;
import io.github.bucket4j.ConsumptionProbe;
import io.github.bucket4j.TimeMeter;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.Set;

/**
 * Holds one token bucket and a FIFO queue of messages that wait for its tokens.
 *
 * <p>A message that must wait reserves its token immediately, as a debt of the bucket. The bucket computes when the
 * debt is paid, so late timers do not lower the rate. Reservations and waiters are two queues: when a waiter is
 * cancelled, those behind it move up and the last reservation returns to the bucket. One timer, for the first
 * reservation, runs on the event loop of the waiter that was first when it was set.
 *
 * <p>Thread-safe. The lock is held briefly; under it waiters are only notified.
 */
final class TokenQueue {
    private final Bucket bucket;
    private final TokenQueueSettings settings;
    private final TimeMeter meter;
    private final QueueSlots slots;
    private final RateScope scope;
    private final RateCounters.Of counters;
    private final WaitListener waitListener;

    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
    /** The times at which the first, second, ... waiter gets its token. */
    private final ArrayDeque<Long> reservations = new ArrayDeque<>();

    private boolean timed;

    private record Waiting(Waiter waiter, long since) {}

    /** A message that waits for a token. */
    interface Waiter {
        /** Notifies the waiter that it has its token; called once, on any thread. Must only hand over. */
        void ready();

        /** Runs a task on the waiter's event loop after a delay; does nothing if the loop has stopped. */
        void executeAfter(long nanos, Runnable task);
    }

    /** The answer to a request for a token. */
    sealed interface Answer {
        Answer NOW = new Now();
        Answer LATER = new Later();

        /** The message has its token. */
        record Now() implements Answer {}

        /** The message waits; {@link Waiter#ready} follows. */
        record Later() implements Answer {}

        /**
         * The message is rejected.
         *
         * @param why the message for the client
         * @param nanos time until a token would be available, at least 1
         */
        record Rejected(String why, long nanos) implements Answer {}
    }

    TokenQueue(
            Bucket bucket,
            TokenQueueSettings settings,
            TimeMeter meter,
            QueueSlots slots,
            RateScope scope,
            RateCounters.Of counters,
            WaitListener waitListener) {
        this.bucket = bucket;
        this.settings = settings;
        this.meter = meter;
        this.slots = slots;
        this.scope = scope;
        this.counters = counters;
        this.waitListener = waitListener;
    }

    Answer request(Waiter waiter) {
        return switch (settings.policy()) {
            case REJECT -> {
                ConsumptionProbe probe = bucket.tryConsumeAndReturnRemaining(1);
                yield probe.isConsumed() ? admitted() : rejected(probe.getNanosToWaitForRefill());
            }
            case QUEUE -> queue(waiter);
        };
    }

    private synchronized Answer queue(Waiter waiter) {
        long nanos = bucket.estimateAbilityToConsume(1).getNanosToWaitForRefill();
        boolean waits = nanos > 0 || !waiting.isEmpty();
        if (waits
                && (nanos > settings.longestWait().toNanos()
                        || waiting.size() >= settings.pending()
                        || !slots.tryTake())) return rejected(nanos);
        bucket.consumeIgnoringRateLimits(1);
        if (!waits) return admitted();
        long now = meter.currentTimeNanos();
        waiting.add(new Waiting(waiter, now));
        reservations.add(now + nanos);
        counters.waiting.increment();
        setTimer(now);
        return Answer.LATER;
    }

    private Answer admitted() {
        counters.admitted.increment();
        return Answer.NOW;
    }

    private Answer rejected(long nanos) {
        counters.rejected.increment();
        return new Answer.Rejected(scope.message(settings.rate()), Math.max(1, nanos));
    }

    private void setTimer(long now) {
        Waiting first = waiting.peek();
        Long reservation = reservations.peek();
        if (timed || first == null || reservation == null) return;
        timed = true;
        first.waiter().executeAfter(Math.max(0, reservation - now), this::callDue);
    }

    private synchronized void callDue() {
        timed = false;
        long now = meter.currentTimeNanos();
        Long reservation;
        while ((reservation = reservations.peek()) != null && reservation - now <= 0) {
            reservations.remove();
            Waiting next = waiting.remove();
            leave(1);
            counters.admitted.increment();
            waitListener.waited(scope, now - next.since());
            next.waiter().ready();
        }
        setTimer(now);
    }

    /** Returns the token of a message that a later queue rejected. */
    void giveBack() {
        counters.givenBack.increment();
        bucket.addTokens(1);
    }

    /** Cancels the given waiters; those that no longer wait here are ignored. */
    synchronized void abandon(Set<? extends Waiter> gone) {
        int left = 0;
        for (Iterator<Waiting> all = waiting.iterator(); all.hasNext(); )
            if (gone.contains(all.next().waiter())) {
                all.remove();
                reservations.removeLast();
                left++;
            }
        if (left == 0) return;
        leave(left);
        counters.abandoned.add(left);
        bucket.addTokens(left);
    }

    private void leave(int waiters) {
        counters.waiting.add(-waiters);
        slots.giveBack(waiters);
    }

    synchronized boolean isWaitedFor() {
        return !waiting.isEmpty();
    }
}
