package chat.log;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Reads a stretch of one partition once, for whoever needs again what a {@link LogReader} has told before. It tells what
 * stands there, copies included, and ends with the connection; where to stop is the listener's to say. Everything, and
 * each call of the listener, runs on one thread.
 */
public final class RangeReader implements AutoCloseable {

    /** What the reader tells; nothing follows {@link #close}. */
    public interface Listener {
        /**
         * The next entry of the log.
         *
         * @param entry its messages; null where it has none, or none for the log of this origin
         * @param bytes its length
         */
        void entry(long offset, @Nullable LogEntry entry, int bytes);

        /** The next entry can't be read. */
        void malformed(long offset);

        /** Nothing follows: the connection is lost, or the partition is gone, or the log was begun anew. */
        void ended(LogUnavailable cause);
    }

    private final Executor thread;
    private final long origin;
    private final Listener listener;
    private final RoomLog.Tail tail;
    private boolean closed;

    /**
     * Begins to read; on the thread.
     *
     * @param thread the single thread of this reader
     * @param origin of the log that the caller knows, microseconds since 1970
     */
    public RangeReader(
            RoomLog log, int partition, RoomLog.Start start, long origin, Executor thread, Listener listener) {
        this.thread = thread;
        this.origin = origin;
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
            // Nobody listens any more.
        }
    }

    private void received(long offset, byte[] bytes) {
        try {
            EntryHeader header = LogEntry.header(bytes);
            if (isOfLaterLog(header)) {
                close();
                listener.ended(new LogUnavailable(LogUnavailable.Outcome.NOT_WRITTEN, "the log was begun anew"));
                return;
            }
            boolean wanted = header.kind() == EntryKind.MESSAGES && header.origin() == origin;
            listener.entry(offset, wanted ? LogEntry.parse(bytes, origin, offset) : null, bytes.length);
        } catch (MalformedEntry why) {
            listener.malformed(offset);
        }
        if (!closed) tail.handled(offset);
    }

    /** What is looked for has stood before it, and here stands no more. A HELLO's origin is a proposal and tells nothing. */
    private boolean isOfLaterLog(EntryHeader header) {
        return header.kind() != EntryKind.HELLO && header.origin() > origin;
    }

    /** Stops; on the thread. */
    @Override
    public void close() {
        if (closed) return;
        closed = true;
        tail.close();
    }
}
