package chat.server.room;

import chat.log.LogPartition.Offer;
import chat.log.OutgoingMessage;
import chat.server.presence.PresenceCounters;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.BiFunction;

/**
 * LEAVEs of sessions that ended while the log could not be written to: they are written when it can be again. Bounded;
 * beyond the bound a LEAVE is given up, and the roster says that the member is gone. Confined to the partition's thread.
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

    /** Returns whether it is kept. */
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

    /** Hands over what the log takes now. */
    void write(BiFunction<OutgoingMessage, PendingAck, Offer> log) {
        Late next;
        while ((next = waiting.peek()) != null) {
            if (log.apply(next.message(), next.sent()) != Offer.TAKEN) return;
            waiting.remove();
            counters.lateLeaves.increment();
        }
    }
}
