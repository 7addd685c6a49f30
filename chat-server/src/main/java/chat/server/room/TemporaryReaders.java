package chat.server.room;

import chat.log.LogEntry;
import chat.log.LogUnavailable;
import chat.log.PartitionLoop;
import chat.log.Position;
import chat.log.RangeReader;
import chat.log.RoomLog;
import chat.log.Segment;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Reads the backlog with a temporary reader for each page, so that a slow client keeps no reader open. A bounded number of
 * reads runs at once; the others wait in order of arrival. A member that needs many pages waits again for each. Everything
 * runs on one thread.
 */
final class TemporaryReaders implements Backlog, AutoCloseable {
    /** A read ends after this many bytes of other rooms; the next one is queued again. */
    private static final long READ_BYTES = 32 << 20;

    /** A page ends when its messages reach this size: about two frames. */
    private static final int PAGE_BYTES = 2 * Frames.MAX_BYTES;

    /** If the first entry is missing, starts this many entries earlier, to tell a hole from a log that begins later. */
    private static final long LOOK_BACK = 64;

    /** {@link #last} reads at most this many entries at the end of a stretch. */
    private static final long LAST_ENTRIES = 256;

    private final RoomLog log;
    private final int maxReaders;
    private final Duration timeout;
    private final RoomCounters counters;
    private final ScheduledExecutorService thread = PartitionLoop.named("backlog");
    /** Confined to the thread, like all fields below. */
    private final Deque<Read> waiting = new ArrayDeque<>();

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
        return enqueue(new Read(stretch, limit, false));
    }

    @Override
    public CompletableFuture<Piece> last(Stretch stretch, int limit) {
        return enqueue(new Read(stretch, limit, true));
    }

    private CompletableFuture<Piece> enqueue(Read read) {
        Stretch stretch = read.stretch;
        if (stretch.after() >= stretch.upTo())
            return CompletableFuture.completedFuture(new Piece(stretch.after(), List.of(), List.of(), stretch.after()));
        try {
            thread.execute(() -> {
                waiting.add(read);
                if (readers >= maxReaders) counters.backlogWaits.increment();
                next();
            });
        } catch (RejectedExecutionException stopping) {
            read.result.completeExceptionally(new CancellationException("the server stops"));
        }
        return read.result;
    }

    private void next() {
        Read read;
        while (readers < maxReaders && (read = waiting.poll()) != null) {
            if (read.result.isCancelled()) continue;
            readers++;
            read.begin();
        }
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }

    private final class Read implements RangeReader.Listener {
        private final Stretch stretch;
        private final MessageKey.OfRoom room;
        private final MessageKey key = new MessageKey();
        private final int limit;
        private final boolean last;
        private final CompletableFuture<Piece> result = new CompletableFuture<>();
        private final Deque<Found> messages = new ArrayDeque<>();
        private final List<History.Gap> unreadable = new ArrayList<>();
        /** Offset of the first requested entry; negative if the epoch begins later. */
        private long first;

        private long lookBack;
        private boolean begun;
        private long from;
        private long bytesRead;
        private int pageBytes;
        private long lastEntryNanos;
        private @Nullable RangeReader reader;
        private @Nullable ScheduledFuture<?> watching;

        Read(Stretch stretch, int limit, boolean last) {
            this.stretch = stretch;
            this.room = MessageKey.OfRoom.of(stretch.room());
            this.limit = limit;
            this.last = last;
        }

        void begin() {
            first = Position.offset(stretch.after(), stretch.epoch());
            from = stretch.after();
            long lastEntries = Position.offset(stretch.upTo(), stretch.epoch()) - LAST_ENTRIES;
            if (last && first < lastEntries) {
                first = lastEntries;
                from = Position.of(stretch.epoch(), first, 0) - 1;
            }
            long period = Math.max(1, timeout.toMillis() / 4);
            watching = thread.scheduleWithFixedDelay(this::watch, period, period, TimeUnit.MILLISECONDS);
            open();
        }

        private void open() {
            if (reader != null) reader.close();
            lastEntryNanos = System.nanoTime();
            int partition = stretch.room().partition(log.partitions());
            RoomLog.Start start = new RoomLog.Start.At(Math.max(0, first - lookBack));
            reader = new RangeReader(log, partition, start, stretch.epoch(), thread, this);
        }

        private void watch() {
            if (result.isCancelled()) end();
            else if (System.nanoTime() - lastEntryNanos > timeout.toNanos())
                fail(new TimeoutException("no entry was read for " + timeout.toMillis() + " ms"));
        }

        @Override
        public void entry(long offset, @Nullable LogEntry entry, int bytes) {
            if (!arrived(offset)) return;
            bytesRead += bytes;
            if (entry != null) for (Segment segment : entry.segments()) if (!collect(segment, entry)) return;
            passed(offset);
        }

        @Override
        public void malformed(long offset) {
            if (!arrived(offset)) return;
            long before = position(offset, 0) - 1;
            if (end(offset) > stretch.after() && before < stretch.upTo())
                unreadable.add(new History.Gap(before, end(offset)));
            passed(offset);
        }

        @Override
        public void ended(LogUnavailable cause) {
            fail(cause);
        }

        /** Returns false if the read has ended or starts again further back. */
        private boolean arrived(long offset) {
            lastEntryNanos = System.nanoTime();
            if (result.isCancelled()) {
                end();
                return false;
            }
            if (begun) return true;
            if (offset > first && first > 0 && lookBack == 0) {
                lookBack = LOOK_BACK;
                open();
                return false;
            }
            begun = true;
            if (offset > first) from = Math.max(from, position(offset, 0) - 1);
            return true;
        }

        /** Collects the room's messages; returns false if the page is full. */
        private boolean collect(Segment segment, LogEntry entry) {
            if (!segment.room().equals(stretch.room())) return true;
            for (int i = 0; i < segment.size(); i++) {
                long position = entry.position(segment.firstIndex() + i);
                if (position <= from || position > stretch.upTo()) continue;
                byte[] json = segment.json(i);
                key.of(room, segment, i);
                long content = ContentHash.of(segment.type(i), segment.timestamp(i), json, 0, json.length);
                messages.add(new Found(key.high(), key.low(), content, new RecentMessage(position, json)));
                pageBytes += json.length;
                if (last) {
                    if (messages.size() > limit) {
                        RecentMessage dropped = messages.remove().message();
                        pageBytes -= dropped.json().length;
                        from = dropped.position();
                    }
                } else if (messages.size() >= limit || pageBytes >= PAGE_BYTES) {
                    done(position);
                    return false;
                }
            }
            return true;
        }

        private void passed(long offset) {
            if (end(offset) >= stretch.upTo()) done(stretch.upTo());
            else if (!last && bytesRead >= READ_BYTES && end(offset) > from) {
                counters.backlogTurnsCut.increment();
                done(end(offset));
            }
        }

        private long position(long offset, int index) {
            return Position.of(stretch.epoch(), offset, index);
        }

        /** Returns the highest position that a message of the entry can have. */
        private long end(long offset) {
            return position(offset, Position.MESSAGES_PER_ENTRY - 1);
        }

        private void done(long through) {
            counters.backlogReads.increment();
            end();
            result.complete(
                    new Piece(Math.min(from, through), List.copyOf(messages), List.copyOf(unreadable), through));
        }

        private void fail(Exception why) {
            counters.backlogFailures.increment();
            end();
            result.completeExceptionally(why);
        }

        private void end() {
            if (watching != null) watching.cancel(false);
            if (reader != null) reader.close();
            readers--;
            next();
        }
    }
}
