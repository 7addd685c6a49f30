package chat.log;

import chat.log.RoomLog.Start;
import chat.log.RoomLog.Tail;
import java.time.Clock;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Reads one partition for ever, without gap or repetition, whatever happens to the connection. It attaches to the last
 * entry that it has handled and goes on only if that is exactly the one it finds; anything else is told as a
 * {@link LogGap}. Copies of an entry, and entries written for another log, are dropped.
 *
 * <p>Everything runs on one thread, the partition's {@code loop}; so do all calls of the listener.
 */
public final class LogReader implements AutoCloseable {

    /** Where a reader begins when it starts. */
    public sealed interface Begin {
        /** With the first entry that there is. */
        record Beginning() implements Begin {}

        /** With the entries of the last minutes: see {@link LogSettings#memory}. */
        record Recent() implements Begin {}

        /** After an entry that was handled before. */
        record After(Checkpoint checkpoint) implements Begin {}
    }

    /** A probe that has seen only older entries for this long has seen the end of the log. */
    private static final long PROBE_QUIET_MILLIS = 1000;

    private final RoomLog log;
    private final int partition;
    private final Begin begin;
    private final LogSettings settings;
    private final Clock clock;
    private final ScheduledExecutorService loop;
    private final LogListener listener;
    private final long ownRun;
    private final LogCounters counters;
    private final SeenRuns seen = new SeenRuns();

    /** The log's origin; 0 as long as it is not known. */
    private long origin;

    private @Nullable Checkpoint last;
    private @Nullable LogGap pendingGap;
    private @Nullable Tail tail;
    private @Nullable Tail probe;
    private Phase phase = Phase.DETACHED;
    /** Tells the calls of the current tail from those of earlier ones. */
    private int generation;

    private long lastHeard;
    private int unhandled;
    private boolean closed;
    private @Nullable ScheduledFuture<?> watch;

    private enum Phase {
        DETACHED,
        /** Learns the origin from the first entry that there is. */
        LEARNING,
        /** Waits for the very entry that was handled last. */
        VERIFYING,
        READING
    }

    /**
     * @param loop the partition's thread; the caller ends it
     * @param ownRun of the server that this reader belongs to; 0 for one that does not write
     */
    public LogReader(
            RoomLog log,
            int partition,
            Begin begin,
            LogSettings settings,
            Clock clock,
            ScheduledExecutorService loop,
            long ownRun,
            LogCounters counters,
            LogListener listener) {
        this.log = log;
        this.partition = partition;
        this.begin = begin;
        this.settings = settings;
        this.clock = clock;
        this.loop = loop;
        this.ownRun = ownRun;
        this.counters = counters;
        this.listener = listener;
    }

    /** Begins to read; any thread. */
    public void start() {
        loop.execute(() -> {
            if (begin instanceof Begin.After after) {
                last = after.checkpoint();
                origin = last.origin();
            }
            attach();
            long period = Math.max(1, settings.silence().toMillis() / 5);
            watch = loop.scheduleWithFixedDelay(this::watchSilence, period, period, TimeUnit.MILLISECONDS);
        });
    }

    /** The origin of the log, microseconds since 1970; 0 as long as it is not known. On the loop only. */
    long origin() {
        return origin;
    }

    /** The last entry handled, or null. On the loop only. */
    public @Nullable Checkpoint last() {
        return last;
    }

    /** Stops; no call of the listener starts after the loop has run this. Any thread. */
    @Override
    public void close() {
        try {
            loop.execute(() -> {
                closed = true;
                if (watch != null) watch.cancel(false);
                detach();
            });
        } catch (RejectedExecutionException loopIsDown) {
            // Nothing runs there any more.
        }
    }

    private void attach() {
        if (closed) return;
        detach();
        lastHeard = clock.millis();
        if (last != null) {
            phase = Phase.VERIFYING;
            open(new Start.At(last.offset()));
        } else if (begin instanceof Begin.Recent && origin == 0) {
            phase = Phase.LEARNING;
            open(new Start.First());
        } else {
            openFirst();
        }
    }

    private void openFirst() {
        phase = Phase.READING;
        open(
                begin instanceof Begin.Recent
                        ? new Start.Since(clock.instant().minus(settings.memory()))
                        : new Start.First());
        if (origin != 0) listener.attached();
    }

    private void open(Start start) {
        int mine = ++generation;
        unhandled = 0;
        if (tail != null) tail.close();
        tail = log.tail(partition, start, new RoomLog.TailHandler() {
            @Override
            public void entry(long offset, byte[] bytes) {
                onLoop(() -> {
                    if (mine == generation) received(offset, bytes);
                });
            }

            @Override
            public void ended(LogUnavailable cause) {
                onLoop(() -> {
                    if (mine == generation) lost(cause);
                });
            }
        });
    }

    private void onLoop(Runnable step) {
        try {
            loop.execute(step);
        } catch (RejectedExecutionException loopIsDown) {
            // The process is stopping.
        }
    }

    private void detach() {
        generation++;
        phase = Phase.DETACHED;
        if (tail != null) tail.close();
        tail = null;
        closeProbe();
    }

    private void lost(LogUnavailable cause) {
        if (closed) return;
        detach();
        listener.detached(cause);
        schedule(this::attach, settings.reconnect().toMillis());
    }

    private void schedule(Runnable step, long millis) {
        int mine = generation;
        try {
            loop.schedule(
                    () -> {
                        if (mine == generation && !closed) step.run();
                    },
                    millis,
                    TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException loopIsDown) {
            // The process is stopping.
        }
    }

    /** A stream reader can hang without an error, so a silent one subscribes anew. */
    private void watchSilence() {
        if (closed || phase == Phase.DETACHED) return;
        long silent = clock.millis() - lastHeard;
        if (silent >= settings.silence().toMillis()) {
            counters.resubscribed.increment();
            attach();
        } else if (phase == Phase.VERIFYING && probe == null && silent >= PROBE_QUIET_MILLIS) {
            openProbe();
        }
    }

    private void received(long offset, byte[] bytes) {
        lastHeard = clock.millis();
        int mine = generation;
        try {
            EntryHeader header;
            try {
                header = LogEntry.header(bytes);
            } catch (MalformedEntry why) {
                if (phase == Phase.READING) malformed(offset, bytes, why);
                return;
            }
            switch (phase) {
                case LEARNING -> learn(offset, header);
                case VERIFYING -> verify(offset, header, bytes);
                case READING -> read(offset, header, bytes);
                case DETACHED -> {}
            }
        } finally {
            if (mine == generation) handled(offset);
        }
    }

    private void malformed(long offset, byte[] bytes, MalformedEntry why) {
        counters.malformed.increment();
        listener.malformed(offset, bytes, why);
    }

    private void stale(EntryHeader header) {
        counters.stale.increment();
        listener.stale(header);
    }

    private void handled(long offset) {
        // Acknowledged in groups: one frame to the broker for several entries.
        if (++unhandled >= 4 || phase != Phase.READING) {
            unhandled = 0;
            if (tail != null) tail.handled(offset);
        } else {
            int mine = generation;
            if (unhandled == 1)
                onLoop(() -> {
                    if (mine == generation && unhandled > 0 && tail != null) {
                        unhandled = 0;
                        tail.handled(offset);
                    }
                });
        }
    }

    private void learn(long offset, EntryHeader header) {
        // Our own HELLO: we have read to the end, and nobody who knew an origin has written anything that is left.
        if (establishes(offset, header) || header.run() == ownRun) {
            origin = header.origin();
            openFirst();
        }
    }

    /**
     * Whether a reader that knows nothing may take the origin of this entry: a log begins with a HELLO, and what stands
     * before that was written for an earlier log; later HELLOs may have lost, everything else was written by those who
     * knew.
     */
    private static boolean establishes(long offset, EntryHeader header) {
        return offset == 0 ? header.kind() == EntryKind.HELLO : header.kind() != EntryKind.HELLO;
    }

    private void verify(long offset, EntryHeader header, byte[] bytes) {
        Checkpoint expected = last;
        if (expected == null) return;
        if (expected.matches(offset, header)) {
            closeProbe();
            seen.firstTime(header.run(), header.sequence());
            phase = Phase.READING;
            listener.attached();
        } else if (offset > expected.offset() && header.origin() == origin) {
            closeProbe();
            phase = Phase.READING;
            pendingGap = new LogGap(LogGap.Reason.TRUNCATED, endOf(expected), endOf(expected));
            listener.attached();
            read(offset, header, bytes);
        } else {
            replaced();
        }
    }

    /** Everything of the entry was had, so what may be missing starts behind the highest position it can have. */
    private static long endOf(Checkpoint checkpoint) {
        return Position.of(checkpoint.origin(), checkpoint.offset(), Position.MESSAGES_PER_ENTRY - 1);
    }

    private void replaced() {
        long known = origin;
        Checkpoint lost = last;
        detach();
        if (lost != null) pendingGap = new LogGap(LogGap.Reason.REPLACED, endOf(lost), endOf(lost));
        last = null;
        lastHeard = clock.millis();
        listener.replaced(known);
        openFirst();
    }

    private void openProbe() {
        int mine = generation;
        probe = log.tail(partition, new Start.Last(), new RoomLog.TailHandler() {
            private int heard;

            @Override
            public void entry(long offset, byte[] bytes) {
                onLoop(() -> {
                    Tail current = probe;
                    Checkpoint expected = last;
                    if (mine != generation || current == null || expected == null) return;
                    current.handled(offset);
                    heard++;
                    int heardNow = heard;
                    if (offset >= expected.offset()) closeProbe();
                    else
                        schedule(
                                () -> {
                                    if (phase == Phase.VERIFYING && heard == heardNow) replaced();
                                },
                                PROBE_QUIET_MILLIS);
                });
            }

            @Override
            public void ended(LogUnavailable cause) {
                // The tail itself hears of it, too.
            }
        });
    }

    private void closeProbe() {
        if (probe != null) probe.close();
        probe = null;
    }

    private void read(long offset, EntryHeader header, byte[] bytes) {
        if (offset == 0 && pendingGap != null) origin = 0; // a log that begins here is another one
        if (origin == 0) {
            if (!establishes(offset, header)) {
                stale(header);
                return;
            }
            adopt(header.origin());
        } else if (header.origin() != origin) {
            boolean succeeds =
                    header.kind() == EntryKind.HELLO ? header.previousOrigin() == origin : header.origin() > origin;
            if (succeeds) {
                adopt(header.origin());
            } else if (header.kind() != EntryKind.HELLO) {
                stale(header);
                return;
            }
        }
        last = new Checkpoint(origin, offset, header.run(), header.sequence());
        if (!seen.firstTime(header.run(), header.sequence())) {
            counters.repeated.increment();
            return;
        }
        LogEntry entry;
        try {
            entry = LogEntry.parse(bytes, origin, offset);
        } catch (MalformedEntry why) {
            malformed(offset, bytes, why);
            return;
        }
        LogGap gap = pendingGap;
        if (gap != null) {
            pendingGap = null;
            counters.gaps.increment();
            listener.gap(new LogGap(gap.reason(), gap.from(), Math.max(gap.from(), entry.position(0) - 1)));
        }
        listener.entry(entry);
    }

    private void adopt(long newOrigin) {
        origin = newOrigin;
        listener.attached();
    }
}
