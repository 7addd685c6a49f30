package chat.log;

import chat.log.LogUnavailable.Outcome;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A log in the memory of this process, for running the platform in one JVM and for tests. Its size is bounded: it drops
 * only released entries, and while it is full, appends stay unconfirmed until an entry is released. Lost when the
 * process ends.
 */
public final class InMemoryRoomLog implements RoomLog {
    private final List<Partition> partitions = new ArrayList<>();
    private final Clock clock;
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    private volatile boolean closed;

    /** @param maxBytes limit for the entries of each partition */
    public InMemoryRoomLog(int partitions, long maxBytes, Clock clock) {
        this.clock = clock;
        for (int i = 0; i < partitions; i++) this.partitions.add(new Partition(maxBytes, "log-" + i));
    }

    @Override
    public int partitions() {
        return partitions.size();
    }

    @Override
    public boolean outlivesItsProcess() {
        return false;
    }

    @Override
    public CompletionStage<Void> append(int partition, byte[] entry) {
        return partitions.get(partition).append(entry, clock.millis());
    }

    @Override
    public Tail tail(int partition, Start start, TailHandler handler) {
        return partitions.get(partition).tail(start, clock.millis(), handler);
    }

    @Override
    public State state() {
        return closed ? State.DOWN : State.UP;
    }

    @Override
    public Runnable onStateChange(Runnable listener) {
        listeners.add(listener);
        return () -> listeners.remove(listener);
    }

    @Override
    public void release(int partition, long offset) {
        partitions.get(partition).release(offset);
    }

    /** Removes everything, as if the partition were deleted and declared again: tails end, offsets start at 0. */
    void reset(int partition) {
        partitions.get(partition).reset();
    }

    /** Removes the oldest entries up to this offset, as the retention of a broker does. */
    void truncate(int partition, long offset) {
        partitions.get(partition).truncate(offset);
    }

    /** Removes the newest entries, like a broker that lost power. */
    void loseTail(int partition, int entries) {
        partitions.get(partition).loseTail(entries);
    }

    /** The offset that the next entry will have. */
    long end(int partition) {
        return partitions.get(partition).end();
    }

    @Override
    public void close() {
        closed = true;
        partitions.forEach(Partition::close);
        listeners.forEach(Runnable::run);
    }

    private record Stored(long offset, long time, byte[] bytes) {}

    private record Waiting(byte[] entry, long time, CompletableFuture<Void> confirmed) {}

    /** Guarded by its own lock; handlers run on its delivery thread. */
    private static final class Partition {
        /** Released entries that are kept until their space is needed. */
        private static final long KEPT = 64;

        private final long maxBytes;
        private final ExecutorService delivery;
        private final NavigableMap<Long, Stored> entries = new TreeMap<>();
        private final Deque<Waiting> waiting = new ArrayDeque<>();
        private final List<MemoryTail> tails = new ArrayList<>();
        private long next;
        private long bytes;
        private long released = -1;
        private boolean closed;

        Partition(long maxBytes, String name) {
            this.maxBytes = maxBytes;
            this.delivery = Executors.newSingleThreadExecutor(
                    Thread.ofPlatform().daemon().name(name).factory());
        }

        synchronized CompletionStage<Void> append(byte[] entry, long time) {
            if (closed)
                return CompletableFuture.failedFuture(new LogUnavailable(Outcome.NOT_WRITTEN, "the log is closed"));
            Waiting append = new Waiting(entry, time, new CompletableFuture<>());
            waiting.add(append);
            admit();
            return append.confirmed;
        }

        private void admit() {
            boolean admitted = false;
            Waiting append;
            while ((append = waiting.peek()) != null) {
                if (!fits(append)) dropBelow(next);
                if (!fits(append)) break;
                Waiting done = waiting.remove();
                entries.put(next, new Stored(next, done.time, done.entry));
                next++;
                bytes += done.entry.length;
                delivery.execute(() -> done.confirmed.complete(null));
                admitted = true;
            }
            if (admitted) tails.forEach(MemoryTail::wake);
        }

        synchronized void release(long offset) {
            released = Math.max(released, offset);
            trim();
        }

        synchronized void truncate(long offset) {
            released = Math.max(released, offset);
            dropBelow(offset + 1);
            admit();
        }

        private boolean fits(Waiting append) {
            return entries.isEmpty() || bytes + append.entry.length <= maxBytes;
        }

        /** A reader that subscribes again looks for its last handled entry, so a few stay while there is space. */
        private void trim() {
            dropBelow(next - KEPT);
            admit();
        }

        /** Keeps entries that a reader has not received yet, released or not. */
        private void dropBelow(long offset) {
            long keepFrom = Math.min(offset, released + 1);
            for (MemoryTail tail : tails) keepFrom = Math.min(keepFrom, tail.cursor);
            Map.Entry<Long, Stored> first;
            while ((first = entries.firstEntry()) != null && first.getKey() < keepFrom) {
                entries.remove(first.getKey());
                bytes -= first.getValue().bytes.length;
            }
        }

        synchronized Tail tail(Start start, long now, TailHandler handler) {
            MemoryTail tail = new MemoryTail(this, handler, from(start, now));
            if (closed) return tail; // closing the log has already ended all tails
            tails.add(tail);
            tail.wake();
            return tail;
        }

        private long from(Start start, long now) {
            return switch (start) {
                case Start.First first -> 0;
                case Start.Last last -> Math.max(0, next - 1);
                case Start.At at -> at.offset();
                case Start.Ago ago -> {
                    long since = now - ago.time().toMillis();
                    for (Stored entry : entries.values()) if (entry.time >= since) yield entry.offset;
                    yield next;
                }
            };
        }

        synchronized void close(MemoryTail tail) {
            tail.closed = true;
            if (tails.remove(tail)) trim();
        }

        synchronized long end() {
            return next;
        }

        /** The entries that this tail has credit for. */
        synchronized List<Stored> take(MemoryTail tail) {
            List<Stored> taken = new ArrayList<>();
            if (!tails.contains(tail)) return taken;
            for (Stored entry : entries.tailMap(tail.cursor).values()) {
                if (entry.offset > tail.cursor) tail.handled = entry.offset - 1; // the entries in between were dropped
                if (entry.offset > tail.handled + MemoryTail.CREDIT) break;
                taken.add(entry);
                tail.cursor = entry.offset + 1;
            }
            if (!taken.isEmpty()) trim();
            return taken;
        }

        synchronized void handled(MemoryTail tail, long offset) {
            tail.handled = Math.max(tail.handled, offset);
            tail.wake();
        }

        synchronized void reset() {
            entries.clear();
            bytes = 0;
            next = 0;
            released = -1;
            endTails("the partition was deleted");
            admit();
        }

        synchronized void loseTail(int count) {
            for (int i = 0; i < count; i++) {
                Map.Entry<Long, Stored> newest = entries.pollLastEntry();
                if (newest == null) break;
                next = newest.getKey();
                bytes -= newest.getValue().bytes.length;
            }
            endTails("the log lost its tail");
            admit();
        }

        private void endTails(String why) {
            LogUnavailable cause = new LogUnavailable(Outcome.UNKNOWN, why);
            for (MemoryTail tail : tails) delivery.execute(() -> tail.end(cause));
            tails.clear();
        }

        synchronized void close() {
            if (closed) return;
            closed = true;
            endTails("the log is closed");
            LogUnavailable refusal = new LogUnavailable(Outcome.NOT_WRITTEN, "the log is closed");
            for (Waiting append : waiting) delivery.execute(() -> append.confirmed.completeExceptionally(refusal));
            waiting.clear();
            delivery.shutdown(); // runs the steps submitted before
        }
    }

    private static final class MemoryTail implements Tail {
        /** Limit of delivered entries that are not handled yet. */
        static final long CREDIT = 16;

        private final Partition partition;
        private final TailHandler handler;
        private long cursor;
        private long handled;
        private volatile boolean closed;

        MemoryTail(Partition partition, TailHandler handler, long from) {
            this.partition = partition;
            this.handler = handler;
            this.cursor = from;
            this.handled = from - 1;
        }

        /** The caller holds the lock of the partition. */
        void wake() {
            if (!partition.closed) partition.delivery.execute(this::deliver);
        }

        private void deliver() {
            for (Stored entry : partition.take(this)) {
                if (closed) return;
                handler.entry(entry.offset, entry.bytes);
            }
        }

        private void end(LogUnavailable cause) {
            if (!closed) handler.ended(cause);
        }

        @Override
        public void handled(long offset) {
            partition.handled(this, offset);
        }

        @Override
        public void close() {
            partition.close(this);
        }
    }
}
