package chat.server.room;

import chat.log.LogPartition.Offer;
import chat.log.OutgoingMessage;
import chat.server.presence.PresenceCounters;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.BiFunction;

/**
 * LEAVEs of sessions that ended while the log was unavailable, published when it is available again. Bounded: beyond
 * the bound a LEAVE is dropped, and the next roster of this server removes the member. Confined to the partition's
 * thread.
 */
final class PendingLeaves {
    private final int max;
    private final PresenceCounters counters;
    private final Deque<Late> waiting = new ArrayDeque<>();

    private record Late(OutgoingMessage message, PendingAck sent) {}

    PendingLeaves(int max, PresenceCounters counters) {
        this.max = max;
        this.counters = counters;
    }

    /** Adds a LEAVE; returns false if the bound is reached. */
    boolean keep(OutgoingMessage message, PendingAck sent) {
        if (waiting.size() >= max) {
            counters.leavesGivenUp.increment();
            return false;
        }
        waiting.add(new Late(message, sent));
        return true;
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    /** Publishes LEAVEs until the log accepts no more. */
    void write(BiFunction<OutgoingMessage, PendingAck, Offer> log) {
        Late next;
        while ((next = waiting.peek()) != null) {
            if (log.apply(next.message(), next.sent()) != Offer.TAKEN) return;
            waiting.remove();
            counters.lateLeaves.increment();
        }
    }
}
