package chat.log;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * An append-only, replayable log in a fixed number of partitions, shared by all servers. This port is what a log can do
 * bare; {@link LogReader} and {@link LogPartition} make of it reading without gap or repetition and writing in order.
 * All methods are thread-safe and none blocks.
 */
public interface RoomLog extends AutoCloseable {

    int partitions();

    /** Whether the log is still there when this process is not; what it must tell the consumer at a new start. */
    boolean outlivesItsProcess();

    /**
     * Appends an entry; entries of one partition come to stand in the order of the calls. Once the outcome of one is
     * unknown, all that were appended after it and are not confirmed yet fail too.
     *
     * @return completes when the log has the entry safely; fails with {@link LogUnavailable}
     */
    CompletionStage<Void> append(int partition, byte[] entry);

    /**
     * Tells the log that an entry has been read back before it was answered: it is there, whether or not that is ever confirmed.
     *
     * @param append what {@link #append} gave for it
     */
    default void readBack(CompletionStage<Void> append) {}

    /**
     * Reads a partition for ever, in order. Where {@code start} lies below the first entry or in a hole, reading starts
     * at the next that is there; where it lies beyond the end, nothing comes until the log has grown there.
     */
    Tail tail(int partition, Start start, TailHandler handler);

    /** Whether the log can be used now: for a program that only reads, UP says that it can be read. */
    State state();

    /** Whether the log could be used now, even where nothing is let through to it for a while. */
    default boolean isReachable() {
        State state = state();
        return state == State.UP || state == State.PROBING;
    }

    /**
     * @param listener called at every change of {@link #state}, on a thread of the log: must not block
     * @return ends that
     */
    Runnable onStateChange(Runnable listener);

    /**
     * @param listener told, once for each, of an entry that was nacked or returned, a connection that was lost, and an
     *     attempt to connect that failed; on a thread of the log: must not block
     */
    default void onFault(Consumer<String> listener) {}

    /** Tells the log that an appended entry was not read back in time and is given up. */
    default void overdue(int partition) {}

    /**
     * Tells the log that an appended entry is not read back, though nothing has failed: what takes entries to the partition may
     * lead to a lost leader. A log that still answers replaces it, and what is unconfirmed fails.
     *
     * @return whether it was replaced; false where the log does not answer, so that nothing else would be better
     */
    default CompletionStage<Boolean> renew(int partition) {
        return CompletableFuture.completedFuture(false);
    }

    /**
     * Tells the log that what was appended has not been read back for long, confirmed or not: whatever takes entries to
     * the partition may be to blame and must be made anew. What is unconfirmed fails.
     */
    default void unanswered(int partition) {}

    /**
     * Tells the log that nothing new has been read of a partition for a while, though who reads it writes signs of life, or
     * would if it might: a replica may lag, or a connection hang. It may end every tail, so that they are opened elsewhere.
     */
    default void silent(int partition) {}

    /** How long it will take at least until the state can be {@link State#UP}; nothing where that is not known. */
    default Duration retryAfter() {
        return Duration.ZERO;
    }

    /** All entries up to this offset are stored elsewhere: a log that cannot outlive its process may drop them. */
    void release(int partition, long offset);

    @Override
    void close();

    enum State {
        UP,
        /** The log asks not to be written to (its disk or memory is short); reading goes on. */
        BLOCKED,
        /** It seems to be back: may be given what was appended before, and signs of life, and nothing new. */
        PROBING,
        DOWN
    }

    /** Where to begin to read. */
    sealed interface Start {
        record First() implements Start {}

        /** With the last few entries: at most what the log keeps as one piece. */
        record Last() implements Start {}

        record At(long offset) implements Start {}

        /** With the first entry of so long ago by the log's own clock, or up to some minutes earlier. */
        record Ago(Duration time) implements Start {}
    }

    /** What a tail calls, one call at a time, on a thread of the log: must not block. */
    interface TailHandler {
        void entry(long offset, byte[] bytes);

        /** Reading ended: the connection is lost, or the partition was deleted. Nothing follows. */
        void ended(LogUnavailable cause);
    }

    /** One reading. */
    interface Tail extends AutoCloseable {
        /** Everything up to this offset has been dealt with: more may come. At most some entries wait for this. */
        void handled(long offset);

        /** No call of the handler starts after this has returned, except one that has begun. */
        @Override
        void close();
    }
}
