package chat.log;

import chat.log.RoomLog.Start;
import chat.log.RoomLog.Tail;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
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

    /** A tail that is silent for this long, at most, is probed. */
    private static final long MAX_PROBE_MILLIS = 1000;

    /** Nobody promises a reader without a server that something comes: its patience grows, up to so many silences. */
    private static final int MAX_PATIENCE = 4;

    /** Silences in a row that subscribing anew does not end, before more is done about them. */
    private static final int SILENCES = 4;

    /** Without a server more is done ever more rarely, as all partitions pay for it: about once an hour in the end. */
    private static final int MAX_SILENCES = 64;

    /** So many entries before its own HELLO a reader first looks for one that tells the origin; more than are in flight. */
    private static final long LOOK_BACK = 64;

    private static final int LOOK_BACK_GROWTH = 8;

    /** A log has to send more entries ahead than these, so that others are always on their way. */
    public static final int ACKNOWLEDGED_TOGETHER = 8;

    private static final long ACKNOWLEDGE_AFTER_MILLIS = 20;

    private final RoomLog log;
    private final int partition;
    private final Begin begin;
    private final LogSettings settings;
    private final LongSupplier nanoTime;
    private final Loop loop;
    private final LogListener listener;
    private final long ownRun;
    private final LogCounters counters;
    private final long probeMillis;

    /** Of what is published again until it is read, in its order. */
    private final SeenIncarnations seen;
    /** Of what is not, and so may overtake the others; remembered for the log that is read again from its start. */
    private final SeenIncarnations seenSigns;

    private EpochRule rule = EpochRule.unknown();
    /** In force in the log that was replaced; 0: none was. */
    private long replacedOrigin;
    /** Above every place that was ever told: origin + offset of the next. */
    private long floor;

    private @Nullable Checkpoint last;
    private @Nullable LogGap pendingGap;
    /** It has been told, and not yet how far it reaches. */
    private boolean gapTold;
    /** In force before the gap. */
    private long originBeforeGap;

    private @Nullable Tail tail;
    private @Nullable Tail probe;
    /** Tells the calls of the current probe from those of earlier ones. */
    private int probes;
    /** Whether a probe has heard of entries since the tail was opened, and all lay below what is looked for. */
    private boolean endsEarly;
    /** Silences in a row since something new was read. */
    private int silences;
    /** So many of them are borne before more is done. */
    private int borne = SILENCES;
    /** Silences in a row in which the log was heard, and ended below what is looked for. */
    private int earlyEnds;

    private Phase phase = Phase.DETACHED;
    /** Tells the calls of the current tail from those of earlier ones. */
    private int generation;

    private long lastHeardNanos;
    /** When the last entry came. */
    private long receivedNanos;
    /** When the present tail was asked for. */
    private long attachedNanos;
    /** Whether the listener has been told of the present silence. */
    private boolean quietTold;
    /** When {@link #watchSilence} ran last. */
    private long watchedNanos;

    private long lastReceived;
    /** Silences that are waited for while reading before subscribing anew. */
    private int patience = 1;

    private int unhandled;
    private boolean closed;
    private @Nullable ScheduledFuture<?> watch;

    /** Of LEARNING: how many entries back it reads; 0: the recent past. */
    private long lookBack;

    private long learnsFrom;
    private EpochRule learning = EpochRule.unknown();
    private long firstHello;

    private enum Phase {
        DETACHED,
        /** Looks for an entry that tells the origin; nothing is told to the listener yet. */
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
            ScheduledExecutorService loop,
            long ownRun,
            LogCounters counters,
            LogListener listener) {
        this(log, partition, begin, settings, System::nanoTime, loop, ownRun, counters, listener);
    }

    /**
     * @param nanoTime for everything that is measured, as {@link System#nanoTime}
     */
    LogReader(
            RoomLog log,
            int partition,
            Begin begin,
            LogSettings settings,
            LongSupplier nanoTime,
            ScheduledExecutorService loop,
            long ownRun,
            LogCounters counters,
            LogListener listener) {
        this.log = log;
        this.partition = partition;
        this.begin = begin;
        this.settings = settings;
        this.nanoTime = nanoTime;
        this.loop = new Loop(loop);
        this.ownRun = ownRun;
        this.counters = counters;
        this.seen = new SeenIncarnations(counters.runsForgotten);
        this.seenSigns = new SeenIncarnations(counters.runsForgotten);
        this.listener = listener;
        this.receivedNanos = nanoTime.getAsLong();
        this.attachedNanos = receivedNanos;
        this.probeMillis = Math.clamp(settings.silence().toMillis() / 4, 1, MAX_PROBE_MILLIS);
    }

    /** Begins to read; any thread. */
    public void start() {
        loop.execute(() -> {
            if (begin instanceof Begin.After after) {
                Checkpoint checkpoint = after.checkpoint();
                last = checkpoint;
                rule = EpochRule.known(checkpoint.origin());
                floor = checkpoint.origin() + checkpoint.offset() + 1;
            }
            attach();
            watchedNanos = nanoTime.getAsLong();
            watch = loop.every(watchMillis(), this::watchSilence);
        });
    }

    /** The origin in force, microseconds since 1970; 0 as long as it is not known. On the loop only. */
    long origin() {
        return rule.origin();
    }

    /** The offset of the entry that came last, whatever became of it. On the loop only. */
    long lastReceived() {
        return lastReceived;
    }

    /** Whether it has heard something lately, and not only just begun to. On the loop only. */
    boolean isHearing() {
        long now = nanoTime.getAsLong();
        return now - receivedNanos < 2 * settings.heartbeat().toNanos()
                && now - attachedNanos >= TimeUnit.MILLISECONDS.toNanos(MAX_PROBE_MILLIS);
    }

    /** How much longer than the silence it may take until one that hangs has subscribed anew and heard something. */
    Duration slack() {
        return Duration.ofMillis(2 * watchMillis());
    }

    /** An origin from which on positions are above all that this reader has told. On the loop only. */
    long floor() {
        return floor;
    }

    /** Whether it stands in the log that it knows, and reads. On the loop only. */
    boolean isReading() {
        return phase == Phase.READING && rule.origin() != 0;
    }

    /** Whether it reads a log from its start, in which nobody has told an origin yet. On the loop only. */
    boolean lacksOrigin() {
        return phase == Phase.READING && rule.origin() == 0;
    }

    /** The last entry handled, or null. On the loop only. */
    public @Nullable Checkpoint last() {
        return last;
    }

    /** Stops; no call of the listener starts after the loop has run this. Any thread. */
    @Override
    public void close() {
        loop.execute(() -> {
            closed = true;
            if (watch != null) watch.cancel(false);
            detach();
        });
    }

    private void attach() {
        if (closed) return;
        detach();
        attachedNanos = nanoTime.getAsLong();
        lastHeardNanos = attachedNanos;
        quietTold = false;
        if (last != null) {
            phase = Phase.VERIFYING;
            open(new Start.At(last.offset()));
        } else if (replacedOrigin != 0) {
            // Not learned from what stands before the own HELLO: here others of ours may stand before it.
            rule = EpochRule.tentative(replacedOrigin);
            openFirst();
        } else if (begin instanceof Begin.Recent && rule.origin() == 0) {
            learn(0, recent());
        } else {
            openFirst();
        }
    }

    private Start recent() {
        return new Start.Ago(settings.memory());
    }

    private void openFirst() {
        phase = Phase.READING;
        open(begin instanceof Begin.Recent ? recent() : new Start.First());
        if (rule.origin() != 0) listener.attached();
    }

    private void open(Start start) {
        int mine = ++generation;
        unhandled = 0;
        if (tail != null) tail.close();
        tail = log.tail(partition, start, new RoomLog.TailHandler() {
            @Override
            public void entry(long offset, byte[] bytes) {
                loop.execute(() -> {
                    if (mine == generation) received(offset, bytes);
                });
            }

            @Override
            public void ended(LogUnavailable cause) {
                loop.execute(() -> {
                    if (mine == generation) lost(cause);
                });
            }
        });
    }

    private void detach() {
        generation++;
        endsEarly = false;
        phase = Phase.DETACHED;
        if (tail != null) tail.close();
        tail = null;
        closeProbe();
    }

    private void lost(LogUnavailable cause) {
        if (closed) return;
        detach();
        silences = 0;
        earlyEnds = 0;
        schedule(this::attach, settings.reconnect().toMillis()); // first: the listener may fail
        listener.detached(cause);
    }

    /** Unless the tail has been replaced by then. */
    private void schedule(Runnable step, long millis) {
        int mine = generation;
        loop.schedule(
                () -> {
                    if (mine == generation && !closed) step.run();
                },
                millis,
                TimeUnit.MILLISECONDS);
    }

    private long watchMillis() {
        return Math.max(1, settings.silence().toMillis() / 5);
    }

    /** A stream reader can hang without an error, so a silent one subscribes anew. */
    private void watchSilence() {
        long now = nanoTime.getAsLong();
        long sinceLast = now - watchedNanos;
        watchedNanos = now;
        if (closed || phase == Phase.DETACHED) return;
        // Our own heartbeats pause with the log: no news is no fault then. Nor is what this thread had no time to hear.
        boolean pauses = ownRun != 0 && phase == Phase.READING && log.state() != RoomLog.State.UP;
        long unheard = pauses ? sinceLast : Math.max(0, sinceLast - TimeUnit.MILLISECONDS.toNanos(watchMillis()));
        lastHeardNanos = Math.min(now, lastHeardNanos + unheard);
        long silent = TimeUnit.NANOSECONDS.toMillis(now - lastHeardNanos);
        if (silent >= settings.silence().toMillis() * (phase == Phase.READING ? patience : 1)) {
            endSilence();
        } else if (phase == Phase.VERIFYING && probe == null && silent >= probeMillis) {
            openProbe();
        } else if (ownRun == 0
                && phase == Phase.READING
                && !quietTold
                && silent >= settings.silence().toMillis() / 2) {
            quietTold = true;
            listener.quiet();
        }
    }

    /**
     * Goes on subscribing anew, and after some silences more: who reads without a server takes a log that goes on ending
     * below what it looks for as one that has lost its end, for nobody may be there to write what proves it; else it may be
     * the connection, or the replica behind it, that gets nothing new.
     */
    private void endSilence() {
        if (ownRun != 0) counters.resubscribed.increment();
        else if (phase == Phase.READING) patience = Math.min(MAX_PATIENCE, patience * 2);
        earlyEnds = endsEarly ? earlyEnds + 1 : 0;
        if (ownRun == 0 && earlyEnds >= SILENCES) {
            replaced();
            return;
        }
        if (log.state() == RoomLog.State.UP && ++silences >= borne) {
            silences = 0;
            if (ownRun == 0 && phase == Phase.READING) borne = Math.min(MAX_SILENCES, borne * 2);
            log.silent(partition);
        }
        attach();
    }

    private void received(long offset, byte[] bytes) {
        int mine = generation;
        receivedNanos = nanoTime.getAsLong();
        lastHeardNanos = receivedNanos;
        quietTold = false;
        lastReceived = offset;
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
            lastHeardNanos = nanoTime.getAsLong(); // the listener may have taken its time
            if (mine == generation) handled();
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

    /** Entries are acknowledged in groups, one frame to the broker for several, and the last of them a little later. */
    private void handled() {
        if (++unhandled == 1) {
            int mine = generation;
            loop.schedule(
                    () -> {
                        if (mine == generation) acknowledge();
                    },
                    ACKNOWLEDGE_AFTER_MILLIS,
                    TimeUnit.MILLISECONDS);
        } else if (unhandled >= ACKNOWLEDGED_TOGETHER) {
            acknowledge();
        }
    }

    private void acknowledge() {
        if (unhandled == 0 || tail == null) return;
        unhandled = 0;
        tail.handled(lastReceived);
    }

    /** @param entries back of the own HELLO; 0: the recent past */
    private void learn(long entries, Start start) {
        phase = Phase.LEARNING;
        lookBack = entries;
        learnsFrom = start instanceof Start.At at ? at.offset() : 0;
        firstHello = 0;
        learning = EpochRule.unknown();
        open(start);
    }

    /**
     * Learns the origin in force from the recent past; where nobody but newcomers wrote, from what stands before the own
     * HELLO. Its own proposal must not do: another may be in force, however long nobody has written.
     */
    private void learn(long offset, EntryHeader header) {
        learning.admits(offset, header);
        if (firstHello == 0 && header.kind() == EntryKind.HELLO) firstHello = header.origin();
        boolean own = header.run() == ownRun;
        long found = learning.origin();
        // Once the log has been cut off at its start, HELLOs may be all that is left: everybody takes the first.
        if (found == 0 && own && lookBack != 0 && learnsFrom == 0) found = firstHello;
        if (found != 0 && (own || lookBack == 0)) {
            rule = EpochRule.known(found);
            openFirst();
        } else if (own) {
            long further = lookBack == 0 ? LOOK_BACK : lookBack * LOOK_BACK_GROWTH;
            learn(further, new Start.At(Math.max(0, offset - further)));
        }
    }

    private void verify(long offset, EntryHeader header, byte[] bytes) {
        Checkpoint expected = last;
        if (expected == null) return;
        if (expected.matches(offset, header)) {
            found();
            firstTime(header);
            phase = Phase.READING;
            listener.attached();
        } else if (offset > expected.offset()
                && (header.origin() == rule.origin() || header.kind() == EntryKind.HELLO)) {
            // A HELLO's origin is a proposal and tells nothing; should the log be another one, what follows will.
            found();
            phase = Phase.READING;
            expectGap(LogGap.Reason.TRUNCATED, expected);
            listener.attached();
            read(offset, header, bytes);
        } else {
            replaced();
        }
    }

    /** An earlier one of which nobody knows yet how far it reaches goes on. */
    private void expectGap(LogGap.Reason reason, Checkpoint last) {
        gapTold = false;
        if (pendingGap != null) return;
        pendingGap = new LogGap(reason, endOf(last), endOf(last));
        originBeforeGap = last.origin();
    }

    /** Everything of the entry was had, so what may be missing starts behind the highest position it can have. */
    private static long endOf(Checkpoint checkpoint) {
        return Position.of(checkpoint.origin(), checkpoint.offset(), Position.MESSAGES_PER_ENTRY - 1);
    }

    private void replaced() {
        long known = rule.origin();
        Checkpoint lost = last;
        detach();
        if (lost != null) expectGap(LogGap.Reason.REPLACED, lost);
        last = null;
        silences = 0;
        earlyEnds = 0;
        replacedOrigin = known;
        rule = EpochRule.tentative(known);
        lastHeardNanos = nanoTime.getAsLong();
        try {
            listener.replaced(known);
        } finally {
            openFirst();
        }
    }

    /**
     * Asked for an entry beyond the end, a log stays silent: so its last entries are read, too. If they come and the one
     * looked for does not, either it is not there any more, or this is a replica that has not got it yet. From an empty
     * log nothing comes; servers write signs of life into it.
     */
    private void openProbe() {
        int mine = ++probes;
        probe = log.tail(partition, new Start.Last(), new RoomLog.TailHandler() {
            @Override
            public void entry(long offset, byte[] bytes) {
                loop.execute(() -> {
                    if (mine == probes) probed(offset, bytes);
                });
            }

            @Override
            public void ended(LogUnavailable cause) {
                loop.execute(() -> {
                    if (mine == probes) closeProbe();
                });
            }
        });
    }

    private void probed(long offset, byte[] bytes) {
        Checkpoint expected = last;
        if (probe == null || expected == null) return;
        probe.handled(offset);
        if (offset >= expected.offset()) {
            found(); // it is there, or another in its place: what looks for it comes by
        } else if (isLater(bytes, expected)) {
            replaced();
        } else if (!endsEarly) {
            endsEarly = true;
            listener.endsEarly(expected);
        }
    }

    /**
     * Whether this entry, below the checkpoint, was written after what stood there: it has the number of none that was
     * read, though all of the own run were, or an origin that nobody knew.
     */
    private boolean isLater(byte[] bytes, Checkpoint expected) {
        EntryHeader header;
        try {
            header = LogEntry.header(bytes);
        } catch (MalformedEntry foreign) {
            return false;
        }
        // A HELLO's origin is a proposal; what was written for an earlier origin was read and not counted.
        boolean hello = header.kind() == EntryKind.HELLO;
        if (!hello && header.origin() != expected.origin()) return header.origin() > expected.origin();
        return ownRun != 0
                && header.run() == ownRun
                && header.sequence() > Math.max(seen.highest(ownRun), seenSigns.highest(ownRun));
    }

    private void found() {
        closeProbe();
        endsEarly = false;
        earlyEnds = 0;
    }

    private void closeProbe() {
        probes++;
        if (probe != null) probe.close();
        probe = null;
    }

    private void read(long offset, EntryHeader header, byte[] bytes) {
        long before = rule.origin();
        boolean sure = rule.isSure();
        boolean admitted = rule.admits(offset, header);
        long origin = rule.origin();
        if (origin != 0 && origin != before) listener.attached();
        if (!admitted) {
            stale(header);
            return;
        }
        last = new Checkpoint(origin, offset, header.run(), header.sequence());
        floor = Math.max(floor, origin + offset + 1);
        patience = 1;
        silences = 0;
        borne = SILENCES;
        if (!firstTime(header)) {
            counters.repeated.increment();
            return;
        }
        if (header.kind() == EntryKind.LATER) counters.later.increment();
        LogEntry entry;
        try {
            entry = LogEntry.parse(bytes, origin, offset);
        } catch (MalformedEntry why) {
            malformed(offset, bytes, why);
            return;
        }
        LogGap gap = pendingGap;
        if (gap != null) gapBefore(entry, gap, sure && before == originBeforeGap);
        listener.entry(entry);
    }

    /**
     * After a lost end the log is read from its first entry, which has the origin of before the gap or an older one: until a
     * higher origin comes, the end of the gap is unknown. The listener gets the gap at once, and again with its end.
     *
     * @param goesOn whether it stands behind entries of the log that was read before the gap
     */
    private void gapBefore(LogEntry entry, LogGap gap, boolean goesOn) {
        long to = Math.max(gap.from(), entry.position(0) - 1);
        boolean known = gap.reason() != LogGap.Reason.REPLACED || to > gap.from() || entry.origin() > originBeforeGap;
        if (known) pendingGap = null;
        if (gapTold && !known) return;
        if (!gapTold) counters.gaps.increment();
        gapTold = true;
        boolean keeps = goesOn && gap.reason() == LogGap.Reason.REPLACED;
        long kept = keeps ? Position.of(originBeforeGap, entry.offset(), 0) : 0;
        listener.gap(new LogGap(gap.reason(), gap.from(), to, kept));
    }

    private boolean firstTime(EntryHeader header) {
        return header.kind() == EntryKind.MESSAGES
                ? seen.firstTime(header.origin(), header.run(), header.sequence())
                : seenSigns.firstTime(0, header.run(), header.sequence()); // written once, for whatever origin
    }
}
