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
 * Reads the backlog with readers that live for one turn: from the entry of a position on, over what is not wanted, until
 * a page is full or the end of the stretch is reached. So nothing is open while a slow socket takes its page, and who
 * needs many pages does not keep others waiting. So many turns at once, the others in their order; all on a thread of
 * their own.
 */
final class TemporaryReaders implements Backlog, AutoCloseable {
    /** After so much of other rooms a turn ends, and the next one waits in line again. */
    private static final long TURN_BYTES = 32 << 20;

    /** Of one page of messages, besides the number: about two frames. */
    private static final int PAGE_BYTES = 2 * Frames.MAX_BYTES;

    /** Where the very entry is not there, one of so many before it tells a hole from a log that begins later. */
    private static final long LOOK_BACK = 64;

    /** How many entries before its end the last messages of a stretch are looked for. */
    private static final long LAST_ENTRIES = 256;

    private final RoomLog log;
    private final int most;
    private final Duration silence;
    private final RoomCounters counters;
    private final ScheduledExecutorService thread = PartitionLoop.named("backlog");
    /** On the thread only, as everything below. */
    private final Deque<Turn> waiting = new ArrayDeque<>();

    private int reading;

    /**
     * @param most readers at once
     * @param silence after which a reader that gets nothing gives up: what it is asked for is there
     */
    TemporaryReaders(RoomLog log, int most, Duration silence, RoomCounters counters) {
        this.log = log;
        this.most = most;
        this.silence = silence;
        this.counters = counters;
    }

    @Override
    public CompletableFuture<Piece> first(Stretch stretch, int limit) {
        return enqueue(new Turn(stretch, limit, false));
    }

    @Override
    public CompletableFuture<Piece> last(Stretch stretch, int limit) {
        return enqueue(new Turn(stretch, limit, true));
    }

    private CompletableFuture<Piece> enqueue(Turn turn) {
        Stretch stretch = turn.stretch;
        if (stretch.after() >= stretch.upTo())
            return CompletableFuture.completedFuture(new Piece(stretch.after(), List.of(), List.of(), stretch.after()));
        try {
            thread.execute(() -> {
                waiting.add(turn);
                if (reading >= most) counters.backlogWaits.increment();
                next();
            });
        } catch (RejectedExecutionException stopping) {
            turn.result.completeExceptionally(new CancellationException("the server stops"));
        }
        return turn.result;
    }

    private void next() {
        Turn turn;
        while (reading < most && (turn = waiting.poll()) != null) {
            if (turn.result.isCancelled()) continue;
            reading++;
            turn.begin();
        }
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }

    private final class Turn implements RangeReader.Listener {
        private final Stretch stretch;
        private final MessageKey.OfRoom room;
        private final MessageKey key = new MessageKey();
        private final int limit;
        private final boolean last;
        private final CompletableFuture<Piece> result = new CompletableFuture<>();
        private final Deque<Found> messages = new ArrayDeque<>();
        private final List<History.Gap> unreadable = new ArrayList<>();
        /** Offset of the first entry wanted; negative: the log was begun later. */
        private long first;

        private long lookBack;
        private boolean begun;
        private long from;
        private long bytesRead;
        private int pageBytes;
        private long heardNanos;
        private @Nullable RangeReader reader;
        private @Nullable ScheduledFuture<?> watching;

        Turn(Stretch stretch, int limit, boolean last) {
            this.stretch = stretch;
            this.room = MessageKey.OfRoom.of(stretch.room());
            this.limit = limit;
            this.last = last;
        }

        void begin() {
            first = Position.offset(stretch.after(), stretch.origin());
            from = stretch.after();
            long lastEntries = Position.offset(stretch.upTo(), stretch.origin()) - LAST_ENTRIES;
            if (last && first < lastEntries) {
                first = lastEntries;
                from = Position.of(stretch.origin(), first, 0) - 1;
            }
            long period = Math.max(1, silence.toMillis() / 4);
            watching = thread.scheduleWithFixedDelay(this::watch, period, period, TimeUnit.MILLISECONDS);
            open();
        }

        private void open() {
            if (reader != null) reader.close();
            heardNanos = System.nanoTime();
            int partition = stretch.room().partition(log.partitions());
            RoomLog.Start start = new RoomLog.Start.At(Math.max(0, first - lookBack));
            reader = new RangeReader(log, partition, start, stretch.origin(), thread, this);
        }

        private void watch() {
            if (result.isCancelled()) end();
            else if (System.nanoTime() - heardNanos > silence.toNanos())
                fail(new TimeoutException("the log tells nothing"));
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

        /** Whether to go on with this entry, rather than with one further back. */
        private boolean arrived(long offset) {
            heardNanos = System.nanoTime();
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

        /** Takes what is wanted; returns whether there is room for more. */
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
            else if (!last && bytesRead >= TURN_BYTES && end(offset) > from) {
                counters.backlogTurnsCut.increment();
                done(end(offset));
            }
        }

        private long position(long offset, int index) {
            return Position.of(stretch.origin(), offset, index);
        }

        /** The highest position that the entry can have. */
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
            reading--;
            next();
        }
    }
}
