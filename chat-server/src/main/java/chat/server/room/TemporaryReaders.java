package chat.server.room;

import chat.log.PartitionLoop;
import chat.log.RoomLog;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;

/**
 * Reads the backlog with a temporary reader for each page, so that a slow client keeps no reader open. A bounded number
 * of reads runs at once; the others wait in order of arrival. A member that needs many pages waits again for each.
 * Everything runs on one thread.
 */
final class TemporaryReaders implements Backlog, AutoCloseable {
    private final RoomLog log;
    private final int maxReaders;
    private final Duration timeout;
    private final RoomCounters counters;
    private final ScheduledExecutorService thread = PartitionLoop.named("backlog");
    /** Confined to the thread, like all fields below. */
    private final Deque<BacklogRead> waiting = new ArrayDeque<>();

    private int readers;

    /**
     * @param maxReaders concurrent readers
     * @param timeout of a reader that receives no entry, although the requested entries exist
     */
    TemporaryReaders(RoomLog log, int maxReaders, Duration timeout, RoomCounters counters) {
        this.log = log;
        this.maxReaders = maxReaders;
        this.timeout = timeout;
        this.counters = counters;
    }

    @Override
    public CompletableFuture<Piece> first(Stretch stretch, int limit) {
        return enqueue(read(stretch, limit, false));
    }

    @Override
    public CompletableFuture<Piece> last(Stretch stretch, int limit) {
        return enqueue(read(stretch, limit, true));
    }

    private BacklogRead read(Stretch stretch, int limit, boolean last) {
        return new BacklogRead(log, thread, timeout, counters, this::ended, stretch, limit, last);
    }

    private CompletableFuture<Piece> enqueue(BacklogRead read) {
        Stretch stretch = read.stretch();
        if (stretch.after() >= stretch.upTo())
            return CompletableFuture.completedFuture(new Piece(stretch.after(), List.of(), List.of(), stretch.after()));
        try {
            thread.execute(() -> {
                waiting.add(read);
                if (readers >= maxReaders) counters.backlogWaits.increment();
                next();
            });
        } catch (RejectedExecutionException stopping) {
            read.result().completeExceptionally(new CancellationException("the server stops"));
        }
        return read.result();
    }

    private void next() {
        BacklogRead read;
        while (readers < maxReaders && (read = waiting.poll()) != null) {
            if (read.result().isCancelled()) continue;
            readers++;
            read.begin();
        }
    }

    private void ended() {
        readers--;
        next();
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
