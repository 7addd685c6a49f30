package chat.server.admission;

import chat.server.admission.TokenQueue.Answer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Applies the rate limits of one session, its user and the server to the messages of that session, in this order.
 * Messages keep their order: while one waits for a token, later ones wait behind it. Confined to the session's event
 * loop.
 *
 * @param <T> type of the messages
 */
public final class SessionRates<T> {
    private final Rates rates;
    private final @Nullable TokenQueue session;
    private final Owner<T> owner;
    private final Deque<Pending> held = new ArrayDeque<>();
    private int rejected;
    private boolean closed;

    /** The decision about a message. */
    public enum Decision {
        NOW,
        /** The owner receives it later, or its rejection. */
        HELD,
        REJECTED
    }

    /** The kind of a message; it determines the rates that apply. */
    public enum Kind {
        MESSAGE,
        JOIN,
        /** JOIN of a room that this server does not know. */
        JOIN_OF_NEW_ROOM
    }

    /** Receives the decisions about messages that waited. */
    public interface Owner<T> {
        /** The message has waited and is now admitted. */
        void passed(T message);

        /**
         * The message is rejected and dropped.
         *
         * @param why the message for the client
         * @param nanos time until a token would be available
         */
        void rejected(T message, String why, long nanos);

        /** {@link RateSettings#maxRefused} messages were rejected. */
        void tooFast();

        /** Runs a step on the session's event loop. */
        void execute(Runnable step);

        /** Runs a step on the session's event loop after a delay; does nothing if the loop has stopped. */
        void executeAfter(long nanos, Runnable step);
    }

    SessionRates(Rates rates, @Nullable TokenQueue session, Owner<T> owner) {
        this.rates = rates;
        this.session = session;
        this.owner = owner;
    }

    /**
     * Requests a token for a message.
     *
     * @param user the verified sender; null: the message counts for no user
     */
    public Decision admit(T message, @Nullable String user, Kind kind) {
        return enter(new Pending(message, rates.queues(session, user, kind)));
    }

    /** Admits a message that takes no token but must keep its order behind held messages. */
    public Decision keepInOrder(T message) {
        return held.isEmpty() ? Decision.NOW : enter(new Pending(message, List.of()));
    }

    private Decision enter(Pending pending) {
        switch (pending.advance()) {
            case Answer.Now() -> {
                if (held.isEmpty()) {
                    admitted();
                    return Decision.NOW;
                }
                pending.complete = true;
                held.add(pending);
            }
            case Answer.Later() -> held.add(pending);
            case Answer.Rejected rejection -> {
                reject(pending, rejection);
                return Decision.REJECTED;
            }
        }
        return Decision.HELD;
    }

    private void admitted() {
        if (rejected > 0) rejected--;
    }

    private void reject(Pending pending, Answer.Rejected rejection) {
        owner.rejected(pending.message, rejection.why(), rejection.nanos());
        int max = rates.settings().maxRefused();
        if (max > 0 && ++rejected == max) owner.tooFast();
    }

    private void resume(Pending pending) {
        if (closed) return;
        switch (pending.advance()) {
            case Answer.Now() -> pending.complete = true;
            case Answer.Later() -> {}
            case Answer.Rejected rejection -> {
                held.remove(pending);
                reject(pending, rejection);
            }
        }
        Pending first;
        while (!closed && (first = held.peek()) != null && first.complete) {
            held.remove();
            admitted();
            owner.passed(first.message);
        }
    }

    /** The session has ended: drops held messages and returns their reservations. */
    public void close() {
        closed = true;
        Map<TokenQueue, Set<Pending>> byQueue = new HashMap<>();
        for (Pending pending : held)
            if (pending.waitsIn != null)
                byQueue.computeIfAbsent(pending.waitsIn, queue -> new HashSet<>())
                        .add(pending);
        byQueue.forEach(TokenQueue::abandon);
        held.clear();
    }

    /** One message and its progress through the queues. */
    private final class Pending implements TokenQueue.Waiter {
        final T message;
        private final List<TokenQueue> queues;
        private int passedQueues;
        /** The queue in which it waits. */
        private @Nullable TokenQueue waitsIn;
        /** It has all its tokens and waits for earlier messages. */
        private boolean complete;

        Pending(T message, List<TokenQueue> queues) {
            this.message = message;
            this.queues = queues;
        }

        Answer advance() {
            waitsIn = null;
            while (passedQueues < queues.size()) {
                TokenQueue queue = queues.get(passedQueues);
                Answer answer = queue.request(this);
                if (answer instanceof Answer.Rejected)
                    for (TokenQueue before : queues.subList(0, passedQueues)) before.giveBack();
                else passedQueues++;
                if (answer instanceof Answer.Later) waitsIn = queue;
                if (!(answer instanceof Answer.Now)) return answer;
            }
            return Answer.NOW;
        }

        @Override
        public void ready() {
            owner.execute(() -> SessionRates.this.resume(this));
        }

        @Override
        public void executeAfter(long nanos, Runnable task) {
            owner.executeAfter(nanos, task);
        }
    }
}
