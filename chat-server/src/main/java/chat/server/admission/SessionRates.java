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
 * The way of one session's messages past its rates: its own, its user's, the server's, in this order. What may pass does so
 * in the order in which it came: behind one that waits for its turn, others wait, too. Confined to the session's event
 * loop.
 *
 * @param <T> what passes
 */
public final class SessionRates<T> {
    private final Rates rates;
    private final @Nullable TokenQueue session;
    private final Owner<T> owner;
    private final Deque<Passage> held = new ArrayDeque<>();
    private int refused;
    private boolean closed;

    /** What becomes of a message that comes here. */
    public enum Passing {
        NOW,
        /** It is passed on later, or refused. */
        HELD,
        REFUSED
    }

    /** The kind of a message, as far as its rates depend on it. */
    public enum Kind {
        MESSAGE,
        JOIN,
        /** Of a room that this server does not know. */
        JOIN_OF_NEW_ROOM
    }

    /** Whose messages pass here. */
    public interface Owner<T> {
        /** It has waited and may go on now. */
        void passed(T message);

        /**
         * It is dropped.
         *
         * @param why for people
         * @param nanos until there would be a token for it
         */
        void refused(T message, String why, long nanos);

        /** More than {@link RateSettings#maxRefused} were refused. */
        void tooFast();

        /** Runs a step on the session's event loop. */
        void execute(Runnable step);

        /** Runs a step on the session's event loop after so long; not at all where that has ended. */
        void executeAfter(long nanos, Runnable step);
    }

    SessionRates(Rates rates, @Nullable TokenQueue session, Owner<T> owner) {
        this.rates = rates;
        this.session = session;
        this.owner = owner;
    }

    /**
     * @param user who is known to have sent it, or null: then it counts for no user
     */
    public Passing admits(T message, @Nullable String user, Kind kind) {
        return enters(new Passage(message, rates.lines(session, user, kind)));
    }

    /** What does not count itself, but has to come behind what was held. */
    public Passing follows(T message) {
        return held.isEmpty() ? Passing.NOW : enters(new Passage(message, List.of()));
    }

    private Passing enters(Passage passage) {
        switch (passage.goOn()) {
            case Answer.Now() -> {
                if (held.isEmpty()) {
                    admitted();
                    return Passing.NOW;
                }
                passage.through = true;
                held.add(passage);
            }
            case Answer.Later() -> held.add(passage);
            case Answer.Refused refusal -> {
                refuse(passage, refusal);
                return Passing.REFUSED;
            }
        }
        return Passing.HELD;
    }

    private void admitted() {
        if (refused > 0) refused--;
    }

    private void refuse(Passage passage, Answer.Refused refusal) {
        owner.refused(passage.message, refusal.why(), refusal.nanos());
        int max = rates.settings().maxRefused();
        if (max > 0 && ++refused == max) owner.tooFast();
    }

    private void turn(Passage passage) {
        if (closed) return;
        switch (passage.goOn()) {
            case Answer.Now() -> passage.through = true;
            case Answer.Later() -> {}
            case Answer.Refused refusal -> {
                held.remove(passage);
                refuse(passage, refusal);
            }
        }
        Passage first;
        while (!closed && (first = held.peek()) != null && first.through) {
            held.remove();
            admitted();
            owner.passed(first.message);
        }
    }

    /** The session has ended: what is held is dropped, and its turns are others'. */
    public void close() {
        closed = true;
        Map<TokenQueue, Set<Passage>> byLine = new HashMap<>();
        for (Passage passage : held)
            if (passage.at != null)
                byLine.computeIfAbsent(passage.at, line -> new HashSet<>()).add(passage);
        byLine.forEach(TokenQueue::abandon);
        held.clear();
    }

    /** One message on its way past the lines. */
    private final class Passage implements TokenQueue.Waiter {
        final T message;
        private final List<TokenQueue> lines;
        private int passedLines;
        /** Where it waits. */
        private @Nullable TokenQueue at;
        /** Only others are before it. */
        private boolean through;

        Passage(T message, List<TokenQueue> lines) {
            this.message = message;
            this.lines = lines;
        }

        Answer goOn() {
            at = null;
            while (passedLines < lines.size()) {
                TokenQueue line = lines.get(passedLines);
                Answer answer = line.ask(this);
                if (answer instanceof Answer.Refused)
                    for (TokenQueue before : lines.subList(0, passedLines)) before.giveBack();
                else passedLines++;
                if (answer instanceof Answer.Later) at = line;
                if (!(answer instanceof Answer.Now)) return answer;
            }
            return Answer.NOW;
        }

        @Override
        public void turn() {
            owner.execute(() -> SessionRates.this.turn(this));
        }

        @Override
        public void after(long nanos, Runnable task) {
            owner.executeAfter(nanos, task);
        }
    }
}
