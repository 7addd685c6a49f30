package chat.log;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Reads a range of one partition once, for a caller that needs entries that its {@link LogReader} has delivered before.
 * It delivers all entries, duplicates included, and ends when the connection is lost; the listener decides where to
 * stop. Everything, including each call of the listener, runs on one thread.
 */
public final class RangeReader implements AutoCloseable {

    /** Receives the entries; not called after {@link #close}. */
    public interface Listener {
        /**
         * The next entry of the log.
         *
         * @param entry null if it has no messages, or was written for another epoch
         * @param bytes length of the entry
         */
        void entry(long offset, @Nullable LogEntry entry, int bytes);

        /** The next entry cannot be decoded. */
        void malformed(long offset);

        /** Reading ended: the connection was lost, the partition was deleted, or the log was replaced. */
        void ended(LogUnavailable cause);
    }

    private final Executor thread;
    private final long epoch;
    private final Listener listener;
    private final RoomLog.Tail tail;
    private boolean closed;

    /**
     * Starts to read; called on the thread.
     *
     * @param thread the single thread of this reader
     * @param epoch of the log that the caller knows, in microseconds since 1970
     */
    public RangeReader(
            RoomLog log, int partition, RoomLog.Start start, long epoch, Executor thread, Listener listener) {
        this.thread = thread;
        this.epoch = epoch;
        this.listener = listener;
        this.tail = log.tail(partition, start, new RoomLog.TailHandler() {
            @Override
            public void entry(long offset, byte[] bytes) {
                later(() -> received(offset, bytes));
            }

            @Override
            public void ended(LogUnavailable cause) {
                later(() -> listener.ended(cause));
            }
        });
    }

    private void later(Runnable step) {
        try {
            thread.execute(() -> {
                if (!closed) step.run();
            });
        } catch (RejectedExecutionException stopping) {
            // The listener's thread has ended.
        }
    }

    private void received(long offset, byte[] bytes) {
        try {
            EntryHeader header = LogEntry.header(bytes);
            if (isOfLaterEpoch(header)) {
                close();
                listener.ended(new LogUnavailable(LogUnavailable.Outcome.NOT_WRITTEN, "the log was replaced"));
                return;
            }
            boolean wanted = header.kind() == EntryKind.MESSAGES && header.epoch() == epoch;
            listener.entry(offset, wanted ? LogEntry.parse(bytes, epoch, offset) : null, bytes.length);
        } catch (MalformedEntry why) {
            listener.malformed(offset);
        }
        if (!closed) tail.handled(offset);
    }

    /** The range is gone if a later epoch is found. A HELLO does not count: its epoch is only a proposal. */
    private boolean isOfLaterEpoch(EntryHeader header) {
        return header.kind() != EntryKind.HELLO && header.epoch() > epoch;
    }

    /** Stops; called on the thread. */
    @Override
    public void close() {
        if (closed) return;
        closed = true;
        tail.close();
    }
}
