package chat.log;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * An append-only, replayable log in a fixed number of partitions, shared by all servers. This port has only the basic
 * operations; {@link LogReader} adds reading without gaps or duplicates, and {@link LogPartition} writing in order. All
 * methods are thread-safe and none blocks.
 */
public interface RoomLog extends AutoCloseable {

    int partitions();

    /** Whether the log survives the end of this process. */
    boolean outlivesItsProcess();

    /**
     * Appends an entry; entries of one partition are stored in the order of the calls. Once the outcome of one is
     * unknown, all unconfirmed entries that were appended after it fail too.
     *
     * @return completes when the log has stored the entry safely; fails with {@link LogUnavailable}
     */
    CompletionStage<Void> append(int partition, byte[] entry);

    /**
     * Reports that an entry was read back before its append completed: it is in the log even if no confirm arrives.
     *
     * @param append the stage that {@link #append} returned
     */
    default void readBack(CompletionStage<Void> append) {}

    /**
     * Reads a partition in order, without end. If {@code start} is below the first entry or in a hole, reading starts
     * at the next existing entry; if it is beyond the end, no entry is delivered until the log has grown up to it.
     */
    Tail tail(int partition, Start start, TailHandler handler);

    /** Whether the log can be used now; for a program that only reads, UP means that it can be read. */
    State state();

    /** Whether the log can be reached now, even if a circuit breaker currently rejects all appends. */
    default boolean isReachable() {
        State state = state();
        return state == State.UP || state == State.PROBING;
    }

    /**
     * @param listener called at every change of {@link #state}, on a thread of the log: must not block
     * @return removes the listener
     */
    Runnable onStateChange(Runnable listener);

    /**
     * @param listener called once with a description of each nacked or returned entry, lost connection and failed
     *     attempt to connect, on a thread of the log: must not block
     */
    default void onFault(Consumer<String> listener) {}

    /** Reports that an appended entry was not read back in time and was dropped. */
    default void overdue(int partition) {}

    /**
     * Reports that an appended entry is not read back although nothing has failed: the channel may lead to a lost
     * leader. A log that still answers replaces the channel, and unconfirmed entries fail.
     *
     * @return whether the channel was replaced; false if the log does not answer
     */
    default CompletionStage<Boolean> renew(int partition) {
        return CompletableFuture.completedFuture(false);
    }

    /**
     * Reports that an appended entry, confirmed or not, was not read back for a long time. The log replaces the
     * connection that it writes to the partition with, and unconfirmed entries fail.
     */
    default void unanswered(int partition) {}

    /**
     * Reports that no new entry of a partition was read for a while, although heartbeats are expected: a replica may
     * lag, or a connection hang. The log may end all tails, so that they are opened on another node.
     */
    default void silent(int partition) {}

    /** The shortest time until the state can be {@link State#UP}; zero if it is unknown. */
    default Duration retryAfter() {
        return Duration.ZERO;
    }

    /** Reports that all entries up to this offset are stored elsewhere: a log in memory may drop them. */
    void release(int partition, long offset);

    @Override
    void close();

    enum State {
        UP,
        /** The log rejects entries because it is short of disk or memory; reading continues. */
        BLOCKED,
        /** The log seems to be back: only heartbeats and republished entries are accepted, no new messages. */
        PROBING,
        DOWN
    }

    /** Where reading starts. */
    sealed interface Start {
        record First() implements Start {}

        /** The last few entries: at most those that the log stores as one chunk. */
        record Last() implements Start {}

        record At(long offset) implements Start {}

        /** The first entry of this age or less, by the log's clock; reading may start some minutes earlier. */
        record Ago(Duration time) implements Start {}
    }

    /** Receives the entries of a tail, one call at a time, on a thread of the log: must not block. */
    interface TailHandler {
        void entry(long offset, byte[] bytes);

        /** Reading ended: the connection was lost, or the partition was deleted. No call follows. */
        void ended(LogUnavailable cause);
    }

    /** A subscription to one partition. */
    interface Tail extends AutoCloseable {
        /** Acknowledges all entries up to this offset. The log delivers a limited number of unacknowledged entries. */
        void handled(long offset);

        /** No call of the handler starts after this has returned, except one that has begun. */
        @Override
        void close();
    }
}
