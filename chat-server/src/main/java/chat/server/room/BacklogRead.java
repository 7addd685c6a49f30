package chat.server.room;

import chat.log.LogEntry;
import chat.log.LogUnavailable;
import chat.log.Position;
import chat.log.RangeReader;
import chat.log.RoomLog;
import chat.log.Segment;
import chat.server.dedup.ContentHash;
import chat.server.dedup.MessageKey;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * One read of the backlog by a temporary reader: collects the messages of a room in a stretch of the log, until the
 * page is full or the stretch ends. Confined to the thread of {@link TemporaryReaders}, except for its result.
 */
final class BacklogRead implements RangeReader.Listener {
    /** A read ends after this many bytes of other rooms; the next one is queued again. */
    private static final long READ_BYTES = 32 << 20;

    /** A page ends when its messages reach this size: about two frames. */
    private static final int PAGE_BYTES = 2 * Frames.MAX_BYTES;

    /** If the first entry is missing, starts this many entries earlier, to tell a hole from a log that begins later. */
    private static final long LOOK_BACK = 64;

    /** A read of the last messages reads at most this many entries at the end of a stretch. */
    private static final long LAST_ENTRIES = 256;

    private final RoomLog log;
    private final ScheduledExecutorService thread;
    private final Duration timeout;
    private final RoomCounters counters;
    private final Runnable whenEnded;
    private final Backlog.Stretch stretch;
    private final MessageKey.OfRoom room;
    private final MessageKey key = new MessageKey();
    private final int limit;
    private final boolean last;
    private final CompletableFuture<Backlog.Piece> result = new CompletableFuture<>();
    private final Deque<Backlog.Found> messages = new ArrayDeque<>();
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

    /**
     * @param thread on which the read runs
     * @param timeout of a read that receives no entry, although the requested entries exist
     * @param whenEnded called once the read has ended, before its result is complete
     * @param limit maximum number of messages
     * @param last whether to read the last messages of the stretch, not the first
     */
    BacklogRead(
            RoomLog log,
            ScheduledExecutorService thread,
            Duration timeout,
            RoomCounters counters,
            Runnable whenEnded,
            Backlog.Stretch stretch,
            int limit,
            boolean last) {
        this.log = log;
        this.thread = thread;
        this.timeout = timeout;
        this.counters = counters;
        this.whenEnded = whenEnded;
        this.stretch = stretch;
        this.room = MessageKey.OfRoom.of(stretch.room());
        this.limit = limit;
        this.last = last;
    }

    Backlog.Stretch stretch() {
        return stretch;
    }

    /** Completes when the read has ended. Any thread; cancel it to stop reading. */
    CompletableFuture<Backlog.Piece> result() {
        return result;
    }

    /** Must be called once. */
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
            messages.add(new Backlog.Found(key.high(), key.low(), content, new RecentMessage(position, json)));
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
                new Backlog.Piece(Math.min(from, through), List.copyOf(messages), List.copyOf(unreadable), through));
    }

    private void fail(Exception why) {
        counters.backlogFailures.increment();
        end();
        result.completeExceptionally(why);
    }

    private void end() {
        if (watching != null) watching.cancel(false);
        if (reader != null) reader.close();
        whenEnded.run();
    }
}
