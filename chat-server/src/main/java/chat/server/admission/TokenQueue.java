package chat.server.admission;

import io.github.bucket4j.Bucket;
import io.github.bucket4j.ConsumptionProbe;
import io.github.bucket4j.TimeMeter;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.Set;

/**
 * One token bucket, and those who wait for its tokens, first in first out.
 *
 * <p>Who has to wait takes his token at once, as a debt of the bucket, whose arithmetic says when it is paid. So turns come
 * exactly as fast as the rate says, however late a timer is. Turns and waiters are two rows: where a waiter gives up,
 * those behind move up, and the last turn is given back to the bucket. There is one timer, for the first turn, on the event
 * loop of whoever was first when it was set.
 *
 * <p>Thread-safe; its lock is held for moments, and nothing but handing over happens under it.
 */
final class TokenQueue {
    private final Bucket bucket;
    private final TokenQueueSettings settings;
    private final TimeMeter meter;
    private final QueueSlots places;
    private final RateScope bound;
    private final RateCounters.Of counters;
    private final WaitListener watch;

    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
    /** When the first, the second, and so on of those who wait has his turn. */
    private final ArrayDeque<Long> turns = new ArrayDeque<>();

    private boolean timed;

    private record Waiting(Waiter waiter, long since) {}

    /** Who waits for his turn. */
    interface Waiter {
        /** It is his turn: called on any thread, once, and only hands over. */
        void turn();

        /** Runs a task on his event loop after so long; not at all where that has ended. */
        void after(long nanos, Runnable task);
    }

    /** What becomes of a message. */
    sealed interface Answer {
        Answer NOW = new Now();
        Answer LATER = new Later();

        /** It may go on. */
        record Now() implements Answer {}

        /** It waits: its turn will be called. */
        record Later() implements Answer {}

        /**
         * It does not pass.
         *
         * @param why for people
         * @param nanos until there would be a token for it, at least 1
         */
        record Refused(String why, long nanos) implements Answer {}
    }

    TokenQueue(
            Bucket bucket,
            TokenQueueSettings settings,
            TimeMeter meter,
            QueueSlots places,
            RateScope bound,
            RateCounters.Of counters,
            WaitListener watch) {
        this.bucket = bucket;
        this.settings = settings;
        this.meter = meter;
        this.places = places;
        this.bound = bound;
        this.counters = counters;
        this.watch = watch;
    }

    Answer ask(Waiter waiter) {
        return switch (settings.policy()) {
            case REJECT -> {
                ConsumptionProbe probe = bucket.tryConsumeAndReturnRemaining(1);
                yield probe.isConsumed() ? admitted() : refused(probe.getNanosToWaitForRefill());
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
                        || !places.tryTake())) return refused(nanos);
        bucket.consumeIgnoringRateLimits(1);
        if (!waits) return admitted();
        long now = meter.currentTimeNanos();
        waiting.add(new Waiting(waiter, now));
        turns.add(now + nanos);
        counters.waiting.increment();
        setTimer(now);
        return Answer.LATER;
    }

    private Answer admitted() {
        counters.admitted.increment();
        return Answer.NOW;
    }

    private Answer refused(long nanos) {
        counters.refused.increment();
        return new Answer.Refused(bound.told(settings.rate()), Math.max(1, nanos));
    }

    private void setTimer(long now) {
        Waiting first = waiting.peek();
        Long turn = turns.peek();
        if (timed || first == null || turn == null) return;
        timed = true;
        first.waiter().after(Math.max(0, turn - now), this::callDue);
    }

    private synchronized void callDue() {
        timed = false;
        long now = meter.currentTimeNanos();
        Long turn;
        while ((turn = turns.peek()) != null && turn - now <= 0) {
            turns.remove();
            Waiting next = waiting.remove();
            left(1);
            counters.admitted.increment();
            watch.waited(bound, now - next.since());
            next.waiter().turn();
        }
        setTimer(now);
    }

    /** One who passed here was refused further on: he has not used his token. */
    void giveBack() {
        counters.givenBack.increment();
        bucket.addTokens(1);
    }

    /** These wait no more; who does not wait here any longer does not matter. */
    synchronized void abandon(Set<? extends Waiter> gone) {
        int left = 0;
        for (Iterator<Waiting> all = waiting.iterator(); all.hasNext(); )
            if (gone.contains(all.next().waiter())) {
                all.remove();
                turns.removeLast();
                left++;
            }
        if (left == 0) return;
        left(left);
        counters.abandoned.add(left);
        bucket.addTokens(left);
    }

    private void left(int waiters) {
        counters.waiting.add(-waiters);
        places.giveBack(waiters);
    }

    synchronized boolean isWaitedFor() {
        return !waiting.isEmpty();
    }
}
