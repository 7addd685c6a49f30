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
 * Reads one partition continuously, without gaps or duplicates, and resumes after the loss of a connection. It resumes
 * at the last entry that it has handled, and continues only if it finds exactly that entry; otherwise it reports a
 * {@link LogGap}. Duplicates, and entries written for another epoch, are dropped.
 *
 * <p>Everything runs on one thread, the partition's {@code loop}, including all calls of the listener.
 */
public final class LogReader implements AutoCloseable {

    /** Where a reader starts. */
    public sealed interface Begin {
        /** At the first entry of the log. */
        record Beginning() implements Begin {}

        /** At the entries of the last minutes: see {@link LogSettings#memory}. */
        record Recent() implements Begin {}

        /** After an entry that was handled before. */
        record After(Checkpoint checkpoint) implements Begin {}
    }

    /** Upper limit of the silence after which the end of the log is probed. */
    private static final long MAX_PROBE_MILLIS = 1000;

    /** How many entries before its own HELLO a reader first looks for the epoch; a server has fewer in flight. */
    private static final long LOOK_BACK = 64;

    private static final int LOOK_BACK_GROWTH = 8;

    /** The reader returns credit to the broker in groups of this size, so the credit must be larger. */
    public static final int ACKNOWLEDGED_TOGETHER = 8;

    private static final long ACKNOWLEDGE_AFTER_MILLIS = 20;

    private final RoomLog log;
    private final int partition;
    private final Begin begin;
    private final LogSettings settings;
    private final Loop loop;
    private final LogListener listener;
    /** The incarnation of the server that this reader belongs to; 0: none. */
    private final long ownIncarnation;

    private final LogCounters counters;
    private final long probeMillis;
    private final SilenceWatch silence;
    private final GapTracker gaps;

    /** Recognizes copies of entries with messages, which keep their order. */
    private final SeenIncarnations seenMessages;
    /** Recognizes copies of other entries, which may overtake; also used for a log that is read again from its start. */
    private final SeenIncarnations seenOthers;

    private final Phase detached = (offset, header, bytes) -> {};
    private final Phase reading = new Reading();

    private EpochRule rule = EpochRule.unknown();
    /** The epoch of the log that was replaced; 0: none was. */
    private long replacedEpoch;
    /** An epoch above every position that was delivered. */
    private long floor;

    private @Nullable Checkpoint last;
    private @Nullable Subscription subscription;
    private Phase phase = detached;
    private long lastReceived;
    private boolean closed;
    private @Nullable ScheduledFuture<?> watching;

    /**
     * @param loop the partition's thread; the caller shuts it down
     * @param ownIncarnation of the server that this reader belongs to; 0 for a reader without a server
     */
    public LogReader(
            RoomLog log,
            int partition,
            Begin begin,
            LogSettings settings,
            ScheduledExecutorService loop,
            long ownIncarnation,
            LogCounters counters,
            LogListener listener) {
        this(log, partition, begin, settings, System::nanoTime, loop, ownIncarnation, counters, listener);
    }

    /** @param nanoTime for all measurements, as {@link System#nanoTime} */
    LogReader(
            RoomLog log,
            int partition,
            Begin begin,
            LogSettings settings,
            LongSupplier nanoTime,
            ScheduledExecutorService loop,
            long ownIncarnation,
            LogCounters counters,
            LogListener listener) {
        this.log = log;
        this.partition = partition;
        this.begin = begin;
        this.settings = settings;
        this.loop = new Loop(loop);
        this.ownIncarnation = ownIncarnation;
        this.counters = counters;
        this.seenMessages = new SeenIncarnations(counters.runsForgotten);
        this.seenOthers = new SeenIncarnations(counters.runsForgotten);
        this.listener = listener;
        this.silence = new SilenceWatch(settings, nanoTime, ownIncarnation != 0);
        this.gaps = new GapTracker(counters);
        this.probeMillis = Math.clamp(settings.silence().toMillis() / 4, 1, MAX_PROBE_MILLIS);
    }

    /** Starts to read; any thread. */
    public void start() {
        loop.execute(() -> {
            if (begin instanceof Begin.After after) {
                Checkpoint checkpoint = after.checkpoint();
                last = checkpoint;
                rule = EpochRule.known(checkpoint.epoch());
                floor = checkpoint.epoch() + checkpoint.offset() + 1;
            }
            subscribe();
            silence.skip();
            watching = loop.every(silence.intervalMillis(), this::watchSilence);
        });
    }

    /** The epoch in force, in microseconds since 1970; 0 while it is unknown. On the loop only. */
    long epoch() {
        return rule.epoch();
    }

    /** The offset of the last received entry, dropped or not. On the loop only. */
    long lastReceived() {
        return lastReceived;
    }

    /** Whether an entry was received recently, on a subscription that is not new. On the loop only. */
    boolean isReceiving() {
        return silence.isReceiving();
    }

    /** The time, in addition to the silence, until a hanging reader has subscribed again and received an entry. */
    Duration slack() {
        return Duration.ofMillis(2 * silence.intervalMillis());
    }

    /** An epoch whose positions are above all that this reader has delivered. On the loop only. */
    long floor() {
        return floor;
    }

    /** Whether it has verified that this is the log it knows, and reads it. On the loop only. */
    boolean isReading() {
        return phase == reading && rule.epoch() != 0;
    }

    /** Whether it reads a log from its first entry and has found no epoch yet. On the loop only. */
    boolean lacksEpoch() {
        return phase == reading && rule.epoch() == 0;
    }

    /** The last handled entry, or null. On the loop only. */
    public @Nullable Checkpoint last() {
        return last;
    }

    /** Stops; the listener is not called any more once the loop has run this. Any thread. */
    @Override
    public void close() {
        loop.execute(() -> {
            closed = true;
            if (watching != null) watching.cancel(false);
            detach();
        });
    }

    private void subscribe() {
        if (closed) return;
        detach();
        silence.subscribed();
        if (last != null) {
            phase = new Verifying(last);
            open(new Start.At(last.offset()));
        } else if (replacedEpoch != 0) {
            // Not learned from the entries before the own HELLO, because those may include other own ones.
            rule = EpochRule.tentative(replacedEpoch);
            readFromStart();
        } else if (begin instanceof Begin.Recent && rule.epoch() == 0) {
            phase = new Learning();
            open(recent());
        } else {
            readFromStart();
        }
    }

    private Start recent() {
        return new Start.Ago(settings.memory());
    }

    private void readFromStart() {
        phase = reading;
        open(begin instanceof Begin.Recent ? recent() : new Start.First());
        if (rule.epoch() != 0) listener.attached();
    }

    private void open(Start start) {
        if (subscription != null) subscription.close();
        subscription = new Subscription(start);
    }

    private void detach() {
        phase.close();
        phase = detached;
        if (subscription != null) subscription.close();
        subscription = null;
    }

    private void lost(LogUnavailable cause) {
        if (closed) return;
        detach();
        silence.reset();
        loop.schedule(this::subscribeIfDetached, settings.reconnect().toMillis(), TimeUnit.MILLISECONDS);
        listener.detached(cause); // last, because the listener may throw
    }

    private void subscribeIfDetached() {
        if (phase == detached) subscribe();
    }

    private void watchSilence() {
        if (closed || phase == detached) {
            silence.skip();
            return;
        }
        boolean isReading = phase == reading;
        // Own heartbeats pause with the log.
        boolean paused = ownIncarnation != 0 && isReading && log.state() != RoomLog.State.UP;
        long silentMillis = silence.measureMillis(paused);
        if (silentMillis >= silence.limitMillis(isReading)) {
            endSilence();
        } else if (phase instanceof Verifying verifying && verifying.probe == null && silentMillis >= probeMillis) {
            verifying.openProbe();
        } else if (ownIncarnation == 0 && isReading && silence.reportsQuiet(silentMillis)) {
            listener.quiet();
        }
    }

    private void endSilence() {
        if (ownIncarnation != 0) counters.resubscribed.increment();
        boolean endsEarly = phase instanceof Verifying verifying && verifying.endsEarly;
        switch (silence.limitReached(phase == reading, endsEarly, log.state() == RoomLog.State.UP)) {
            case SUBSCRIBE_AGAIN -> subscribe();
            case REPORT_SILENCE -> {
                log.silent(partition);
                subscribe();
            }
            case TREAT_AS_REPLACED -> replaced();
        }
    }

    /** The known log is gone: reads the one that replaced it. */
    private void replaced() {
        long known = rule.epoch();
        Checkpoint lost = last;
        detach();
        if (lost != null) gaps.start(LogGap.Reason.REPLACED, lost);
        last = null;
        silence.reset();
        replacedEpoch = known;
        rule = EpochRule.tentative(known);
        silence.restart();
        try {
            listener.replaced(known);
        } finally {
            readFromStart();
        }
    }

    private boolean firstTime(EntryHeader header) {
        return header.kind() == EntryKind.MESSAGES
                ? seenMessages.firstTime(header.epoch(), header.incarnation(), header.sequence())
                : seenOthers.firstTime(
                        0, header.incarnation(), header.sequence()); // never republished for another epoch
    }

    /** A tail of the log. Its calls run on the loop, and none after it was closed. Acknowledges entries in groups. */
    private final class Subscription implements AutoCloseable {
        private final Tail tail;
        private int unacknowledged;
        private long lastOffset;
        private boolean closed;

        Subscription(Start start) {
            tail = log.tail(partition, start, new RoomLog.TailHandler() {
                @Override
                public void entry(long offset, byte[] bytes) {
                    loop.execute(() -> received(offset, bytes));
                }

                @Override
                public void ended(LogUnavailable cause) {
                    loop.execute(() -> {
                        if (!closed) lost(cause);
                    });
                }
            });
        }

        private void received(long offset, byte[] bytes) {
            if (closed) return;
            silence.received();
            lastReceived = offset;
            lastOffset = offset;
            try {
                EntryHeader header = header(offset, bytes);
                if (header != null) phase.entry(offset, header, bytes);
            } finally {
                silence.restart();
                if (!closed) handled();
            }
        }

        private @Nullable EntryHeader header(long offset, byte[] bytes) {
            try {
                return LogEntry.header(bytes);
            } catch (MalformedEntry why) {
                phase.malformed(offset, bytes, why);
                return null;
            }
        }

        private void handled() {
            if (++unacknowledged == 1) {
                loop.schedule(
                        () -> {
                            if (!closed) acknowledge();
                        },
                        ACKNOWLEDGE_AFTER_MILLIS,
                        TimeUnit.MILLISECONDS);
            } else if (unacknowledged >= ACKNOWLEDGED_TOGETHER) {
                acknowledge();
            }
        }

        private void acknowledge() {
            if (unacknowledged == 0) return;
            unacknowledged = 0;
            tail.handled(lastOffset);
        }

        @Override
        public void close() {
            closed = true;
            tail.close();
        }
    }

    /** Handles the received entries, depending on what the reader has verified. */
    private interface Phase {
        void entry(long offset, EntryHeader header, byte[] bytes);

        default void malformed(long offset, byte[] bytes, MalformedEntry why) {}

        default void close() {}
    }

    /**
     * Learns the epoch before it delivers entries. It reads the recent entries. If they hold only HELLOs, it reads
     * entries before its own HELLO. A HELLO only proposes an epoch: another may be in force.
     */
    private final class Learning implements Phase {
        /** How many entries before the own HELLO it reads; 0: it reads the recent entries. */
        private final long lookBack;

        private final long fromOffset;
        private final EpochRule learned = EpochRule.unknown();
        private long firstProposal;

        Learning() {
            this(0, 0);
        }

        private Learning(long lookBack, long fromOffset) {
            this.lookBack = lookBack;
            this.fromOffset = fromOffset;
        }

        @Override
        public void entry(long offset, EntryHeader header, byte[] bytes) {
            learned.admits(offset, header);
            if (firstProposal == 0 && header.kind() == EntryKind.HELLO) firstProposal = header.epoch();
            boolean own = header.incarnation() == ownIncarnation;
            long found = learned.epoch();
            // If retention has left only HELLOs, all readers adopt the epoch of the first one.
            if (found == 0 && own && lookBack != 0 && fromOffset == 0) found = firstProposal;
            if (found != 0 && (own || lookBack == 0)) {
                rule = EpochRule.known(found);
                readFromStart();
            } else if (own) {
                lookFurtherBack(offset);
            }
        }

        private void lookFurtherBack(long ownOffset) {
            long further = lookBack == 0 ? LOOK_BACK : lookBack * LOOK_BACK_GROWTH;
            long from = Math.max(0, ownOffset - further);
            phase = new Learning(further, from);
            open(new Start.At(from));
        }
    }

    /** Waits for exactly the entry that was handled last. */
    private final class Verifying implements Phase {
        private final Checkpoint expected;
        private @Nullable Tail probe;
        /** Distinguishes the calls of the current probe from those of earlier ones. */
        private int probes;
        /** A probe has received entries, all below the checkpoint. */
        private boolean endsEarly;

        Verifying(Checkpoint expected) {
            this.expected = expected;
        }

        @Override
        public void entry(long offset, EntryHeader header, byte[] bytes) {
            if (expected.matches(offset, header)) {
                endReached();
                firstTime(header);
                phase = reading;
                listener.attached();
            } else if (offset > expected.offset()
                    && (header.epoch() == rule.epoch() || header.kind() == EntryKind.HELLO)) {
                // A HELLO's epoch is only a proposal; if the log was replaced, a later entry shows it.
                endReached();
                phase = reading;
                gaps.start(LogGap.Reason.TRUNCATED, expected);
                listener.attached();
                reading.entry(offset, header, bytes);
            } else {
                replaced();
            }
        }

        /**
         * Reads the last entries of the log, because a tail that starts beyond the end of the log stays silent. If they
         * are below the checkpoint, either the checkpoint is lost or this replica has not received it yet. An empty log
         * has no last entries until servers write heartbeats into it.
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
                        if (mine == probes) close();
                    });
                }
            });
        }

        private void probed(long offset, byte[] bytes) {
            if (probe == null) return;
            probe.handled(offset);
            if (offset >= expected.offset()) {
                endReached(); // the subscription will receive the checkpoint, or the entry that replaced it
            } else if (isLater(bytes)) {
                replaced();
            } else if (!endsEarly) {
                endsEarly = true;
                listener.endsEarly(expected);
            }
        }

        /**
         * Whether this entry, below the checkpoint, was written after the checkpoint: it has a later epoch, or an own
         * sequence above all that were read.
         */
        private boolean isLater(byte[] bytes) {
            EntryHeader header;
            try {
                header = LogEntry.header(bytes);
            } catch (MalformedEntry unknown) {
                return false;
            }
            // A HELLO's epoch is only a proposal. Entries of an earlier epoch were read but not recorded as seen.
            boolean hello = header.kind() == EntryKind.HELLO;
            if (!hello && header.epoch() != expected.epoch()) return header.epoch() > expected.epoch();
            return ownIncarnation != 0
                    && header.incarnation() == ownIncarnation
                    && header.sequence()
                            > Math.max(seenMessages.highest(ownIncarnation), seenOthers.highest(ownIncarnation));
        }

        private void endReached() {
            close();
            endsEarly = false;
            silence.endReached();
        }

        @Override
        public void close() {
            probes++;
            if (probe != null) probe.close();
            probe = null;
        }
    }

    /** Delivers entries to the listener. */
    private final class Reading implements Phase {
        @Override
        public void entry(long offset, EntryHeader header, byte[] bytes) {
            long epochBefore = rule.epoch();
            boolean sure = rule.isSure();
            boolean admitted = rule.admits(offset, header);
            long epoch = rule.epoch();
            if (epoch != 0 && epoch != epochBefore) listener.attached();
            if (!admitted) {
                counters.stale.increment();
                listener.stale(header);
                return;
            }
            last = new Checkpoint(epoch, offset, header.incarnation(), header.sequence());
            floor = Math.max(floor, epoch + offset + 1);
            silence.progressed();
            if (!firstTime(header)) {
                counters.repeated.increment();
                return;
            }
            if (header.kind() == EntryKind.LATER) counters.later.increment();
            LogEntry entry;
            try {
                entry = LogEntry.parse(bytes, epoch, offset);
            } catch (MalformedEntry why) {
                malformed(offset, bytes, why);
                return;
            }
            LogGap gap = gaps.before(entry, sure ? epochBefore : 0);
            if (gap != null) listener.gap(gap);
            listener.entry(entry);
        }

        @Override
        public void malformed(long offset, byte[] bytes, MalformedEntry why) {
            counters.malformed.increment();
            listener.malformed(offset, bytes, why);
        }
    }
}
