package chat.log;

import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Publishes messages of one server into one partition and reads the partition, starting with the last 2 minutes. Keeps
 * each entry until it is read back, and republishes entries in order while their outcome is unknown. Publishes messages
 * only while the reader has verified the log.
 *
 * <p>{@link #offer} and {@link #whenRoom} may be called on any thread; everything else runs on the partition's {@code
 * loop}, including all calls of the owner.
 *
 * @param <A> attachment of an own message, which the owner gets back with its outcome
 */
public final class LogPartition<A> implements AutoCloseable {

    /** Receives the entries of the partition and the outcome of own messages. */
    public interface Owner<A> {
        /**
         * The next entry is an own one.
         *
         * @param publishedNanos when it was appended for the first time, by {@link System#nanoTime}
         * @param confirmedNanos when it was confirmed; 0: not yet
         */
        default void readBack(long publishedNanos, long confirmedNanos) {}

        /**
         * The next entry of the log.
         *
         * @param own the attachments of its messages, by index, if this server wrote the entry; else null
         */
        void entry(LogEntry entry, @Nullable List<A> own);

        /** Entries are missing before the next one. */
        void gap(LogGap gap);

        /** These messages are not in the log and will not appear there. */
        void refused(List<A> messages);

        /** These messages may be in the log; their outcome was not known in time. */
        void outcomeUnknown(List<A> messages);

        /** All recent entries have been delivered, up to this server's own HELLO. */
        void started();

        /** Whether messages may be published after the start; until then they wait. See {@link #look}. */
        default boolean ready() {
            return true;
        }
    }

    public enum Offer {
        TAKEN,
        /** No space: {@link #whenRoom} reports when to try again. */
        FULL,
        /** The log cannot be reached; the message was not kept. */
        UNAVAILABLE
    }

    private enum Gate {
        /** The log is up, but the start is not complete or the owner is not ready: messages wait. */
        STARTING,
        OPEN,
        /** The log is being probed: messages are rejected, and only unconfirmed entries are republished. */
        PROBING,
        SHUT
    }

    private static final long TICK_MILLIS = 250;

    /**
     * If two ticks are further apart, this process stood still and has entries to read that arrived in the meantime.
     */
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /**
     * If the clock is behind, the new epoch is this far above the highest position read, so that no lost entry can have
     * had a higher position.
     */
    private static final long LEAP_MICROS = TimeUnit.MINUTES.toMicros(1);

    private final RoomLog log;
    private final LogSettings settings;
    private final Clock clock;
    private final LongSupplier nanoTime;
    private final Loop loop;
    private final LogCounters counters;
    private final Owner<A> owner;
    private final LogReader reader;

    private final WaitingMessages<A> waiting;
    private final IncarnationHeaders headers;
    private final EntryAppender appender;
    private final EntriesInFlight<A> inFlight;
    private final Heartbeats heartbeats;
    private final PartitionStart start;
    private final LostTail lostTail = new LostTail();
    private final ReadBackWatchdog watchdog;
    private final Linger linger;

    private final List<CompletableFuture<Void>> drains = new ArrayList<>();
    private @Nullable ScheduledFuture<?> ticking;
    private Runnable removeStateListener = () -> {};
    private Gate gate = Gate.STARTING;
    private long tickedNanos;
    /** The last regular tick noticed a pause: entries that arrived during it may still be queued behind the tick. */
    private boolean paused;

    /** Publishes queued messages when the linger has ended. */
    private @Nullable ScheduledFuture<?> lingering;

    private boolean closed;

    /**
     * @param incarnation random number, chosen each time the server starts this partition
     * @param loop the partition's single thread; the caller shuts it down after {@link #close}
     */
    public LogPartition(
            RoomLog log,
            int partition,
            String serverId,
            long incarnation,
            LogSettings settings,
            Clock clock,
            ScheduledExecutorService loop,
            LogCounters counters,
            Owner<A> owner) {
        this(log, partition, serverId, incarnation, settings, clock, System::nanoTime, loop, counters, owner);
    }

    /**
     * @param clock for epochs
     * @param nanoTime for all measurements and deadlines, as {@link System#nanoTime}, because the clock may be set
     */
    public LogPartition(
            RoomLog log,
            int partition,
            String serverId,
            long incarnation,
            LogSettings settings,
            Clock clock,
            LongSupplier nanoTime,
            ScheduledExecutorService loop,
            LogCounters counters,
            Owner<A> owner) {
        this.log = log;
        this.settings = settings;
        this.clock = clock;
        this.nanoTime = nanoTime;
        this.loop = new Loop(loop);
        this.counters = counters;
        this.owner = owner;
        this.waiting =
                new WaitingMessages<>(settings, nanoTime, counters, () -> this.loop.execute(this::onMessageWaiting));
        this.headers = new IncarnationHeaders(incarnation, serverId);
        this.appender = new EntryAppender(log, partition, this.loop, nanoTime, counters);
        this.linger = new Linger(settings.linger().toNanos(), nanoTime.getAsLong());
        this.inFlight = new EntriesInFlight<>(
                appender,
                headers,
                settings,
                nanoTime,
                counters,
                owner,
                linger,
                this::onEntryAnswered,
                () -> log.overdue(partition));
        this.heartbeats = new Heartbeats(appender, headers, settings, nanoTime, this::onHeartbeatAnswered);
        this.start = new PartitionStart(
                log.outlivesItsProcess(), settings.reconnect().toNanos());
        this.reader = new LogReader(
                log,
                partition,
                new LogReader.Begin.Recent(),
                settings,
                nanoTime,
                loop,
                incarnation,
                counters,
                new ReaderEvents());
        this.watchdog = new ReadBackWatchdog(
                log,
                partition,
                settings,
                nanoTime,
                this.loop,
                counters,
                appender,
                reader,
                inFlight::maybeLost,
                this::onChannelReplaced);
    }

    /** Starts to read; any thread. */
    public void start() {
        Runnable removeListener = log.onStateChange(() -> loop.execute(this::onLogStateChange));
        reader.start();
        loop.execute(() -> {
            if (closed) {
                removeListener.run();
                return;
            }
            removeStateListener = removeListener;
            tickedNanos = nanoTime.getAsLong();
            tick();
            ticking = loop.every(TICK_MILLIS, this::onRegularTick);
        });
    }

    /** Queues a message. The owner gets exactly one outcome: its entry, refused, or unknown. Any thread. */
    public Offer offer(OutgoingMessage message, A attachment) {
        return waiting.offer(message, attachment);
    }

    /**
     * Calls {@code resume} once, on the loop, when there is space again or the log has become unavailable. Any thread.
     */
    public void whenRoom(Runnable resume) {
        waiting.whenRoom(resume);
    }

    /** Whether messages are accepted now; any thread. */
    public boolean available() {
        return !waiting.isClosed();
    }

    /** How long ago the oldest own entry that is not read back was published, heartbeats included; any thread. */
    public Duration readLag() {
        return watchdog.readLag();
    }

    /**
     * The minimum interval of entries, and of frames, under the current load: at most {@link LogSettings#linger}, 0
     * without load. On the loop only.
     */
    public long lingerNanos() {
        return linger.nanos(nanoTime.getAsLong());
    }

    /** Called when the owner has become {@link Owner#ready}. On the loop only. */
    public void look() {
        tick();
    }

    /**
     * Appends a roster if entries may be written now; it is neither kept nor republished. On the loop only.
     *
     * @param parts all parts of one roster
     * @param failed called on the loop, once or more, if a part may not be in the log
     * @return whether it was appended
     */
    public boolean publish(List<Roster> parts, Runnable failed) {
        if (closed || !start.isStarted() || log.state() != RoomLog.State.UP || !isLogVerified()) return false;
        for (Roster part : parts) {
            EntryHeader header = headers.next(EntryKind.ROSTER, reader.epoch(), 0);
            appender.append(header.sequence(), part.encode(header), failure -> {
                if (failure != null) failed.run();
                publishPending();
            });
        }
        return true;
    }

    /** Whether messages are accepted and no own message is queued or in flight. On the loop only. */
    public boolean isIdle() {
        return gate == Gate.OPEN && inFlight.isEmpty() && waiting.isEmpty();
    }

    /**
     * Closes the partition if it is {@linkplain #isIdle idle}, in one step with the check, so that no queued message is
     * rejected. Later offers are rejected at once. On the loop only.
     *
     * @return whether it is closed now
     */
    public boolean closeIfIdle() {
        // Waits for unconfirmed heartbeats too: their outcome must still be counted.
        if (closed || !isIdle() || appender.unconfirmed() > 0 || !waiting.closeIfEmpty()) return false;
        reader.close();
        end();
        return true;
    }

    /** Completes when no own message is queued or in flight any more; any thread. */
    public CompletableFuture<Void> drain() {
        CompletableFuture<Void> drained = new CompletableFuture<>();
        loop.execute(() -> {
            drains.add(drained);
            completeDrains();
        });
        return drained;
    }

    /**
     * Stops reading and publishing; any thread. Queued messages are refused, and the outcome of messages in flight is
     * unknown: call {@link #drain} first. If the loop is shut down at once, the owner may not be notified.
     */
    @Override
    public void close() {
        reader.close();
        loop.execute(() -> {
            end();
            refuseWaiting();
            inFlight.dropAll();
            completeDrains();
        });
    }

    private void end() {
        closed = true;
        removeStateListener.run();
        if (ticking != null) ticking.cancel(false);
        setGate(Gate.SHUT);
    }

    // Events other than those of the reader. Each one runs the steps below that it may have made possible.

    private void onRegularTick() {
        long now = nanoTime.getAsLong();
        paused = !paused && now - tickedNanos >= PAUSE_NANOS; // only every other tick counts as a pause if all are late
        tickedNanos = now;
        tick();
    }

    private void onLogStateChange() {
        tick();
    }

    private void onMessageWaiting() {
        publishPending();
    }

    /** An entry with messages, or a fence, was confirmed or failed. */
    private void onEntryAnswered() {
        completeDrains();
        publishPending();
    }

    private void onHeartbeatAnswered(boolean confirmed) {
        // While the log is probed, the next heartbeat follows at once if there is no other entry to probe with.
        if (confirmed && log.state() == RoomLog.State.PROBING) tick();
        else publishPending();
    }

    private void onLingerEnd() {
        lingering = null;
        publishPending();
    }

    /** No other server has answered our first HELLO in time. */
    private void onAnswerTimeout() {
        if (start.isStarted()) return;
        heartbeats.helloDueNow();
        tick();
    }

    private void onChannelReplaced() {
        if (closed) return;
        counters.unanswered.increment();
        inFlight.maybeLost();
        publishPending();
    }

    // Steps.

    /** Does everything that is due. */
    private void tick() {
        if (closed) return;
        dropOverdue();
        evaluateGate();
        watchdog.check(start.isStarted(), paused);
        publishHeartbeats();
        publishPending();
    }

    private void publishHeartbeats() {
        RoomLog.State state = log.state();
        boolean probing = state == RoomLog.State.PROBING;
        if (state != RoomLog.State.UP && !probing) return;
        boolean started = start.isStarted();
        boolean tooLow = reader.isReading() && reader.epoch() < lostTail.lowestEpoch();
        boolean replaces = tooLow || isAlone();
        if ((!started || replaces || reader.lacksEpoch()) && heartbeats.isHelloDue())
            publishHello(replaces ? reader.epoch() : 0);
        // Also while messages are rejected: readers that look for the end of the log must find entries.
        if (started && reader.epoch() != 0 && (heartbeats.isHeartbeatDue() || (probing && inFlight.isEmpty())))
            heartbeats.heartbeat(reader.epoch());
    }

    /** @param previousEpoch the epoch to replace; 0 if none is known */
    private void publishHello(long previousEpoch) {
        // This clock may be behind the one that made the last epoch; the new epoch must be higher.
        long now = clock.millis() * 1000;
        if (isAlone() && now <= reader.floor()) now = reader.floor() + LEAP_MICROS;
        long epoch = Math.max(now, Math.max(lostTail.lowestEpoch(), previousEpoch + 1));
        heartbeats.hello(epoch, previousEpoch, start.hasReadHello() ? settings.reconnect() : settings.heartbeat());
    }

    private boolean isAlone() {
        return start.isAlone(reader.isReading(), nanoTime.getAsLong());
    }

    private void dropOverdue() {
        if (paused) return;
        inFlight.dropOverdue();
        if (waiting.hasWaited(settings.overdue().toNanos())) refuseWaiting();
        completeDrains();
    }

    private void evaluateGate() {
        if (closed) return;
        Gate next = nextGate();
        if (next == gate) return;
        setGate(next);
        if (next == Gate.OPEN || next == Gate.PROBING) inFlight.republishNow();
        heartbeats.heartbeatDueNow();
        if (waiting.isClosed()) refuseWaiting();
    }

    private Gate nextGate() {
        boolean started = start.isStarted();
        return switch (log.state()) {
            case UP ->
                !started ? Gate.STARTING : !isLogVerified() ? Gate.SHUT : owner.ready() ? Gate.OPEN : Gate.STARTING;
            // Messages that wait for the start go on waiting: probing is short.
            case PROBING ->
                !started || gate == Gate.STARTING ? Gate.STARTING : isLogVerified() ? Gate.PROBING : Gate.SHUT;
            case BLOCKED, DOWN -> Gate.SHUT;
        };
    }

    private void setGate(Gate next) {
        gate = next;
        waiting.setClosed(next == Gate.SHUT || next == Gate.PROBING);
    }

    /** Whether the reader has verified the log and no position in its epoch can be assigned twice. */
    private boolean isLogVerified() {
        return reader.isReading() && reader.epoch() >= lostTail.lowestEpoch();
    }

    private void refuseWaiting() {
        EntryBuilder<A> refused = waiting.take();
        if (refused != null) {
            counters.refused.add(refused.messages());
            owner.refused(refused.attachments());
        }
        waiting.resumeSenders();
    }

    /** Publishes what may be published now: first entries to republish, in order, then the queued messages. */
    private void publishPending() {
        if (waiting.isClosed()) refuseWaiting();
        boolean republish = (gate == Gate.OPEN || gate == Gate.PROBING) && isLogVerified();
        if (republish && inFlight.republish(reader.epoch()) && gate == Gate.OPEN) publishWaiting();
        waiting.resumeSenders();
        watchdog.unreadSince(inFlight.oldestNanos(heartbeats.oldestUnreadNanos(ReadBackWatchdog.NONE)));
    }

    private void publishWaiting() {
        if (appender.unconfirmed() >= settings.unconfirmed() || inFlight.isFull()) return;
        long lingerLeft = linger.left(nanoTime.getAsLong());
        if (lingerLeft > 0 && !waiting.isFull()) {
            if (lingering == null) lingering = loop.schedule(this::onLingerEnd, lingerLeft, TimeUnit.NANOSECONDS);
            return;
        }
        if (lingering != null) lingering.cancel(false); // the next wait may be shorter
        lingering = null;
        EntryBuilder<A> taken = waiting.take();
        if (taken == null) return;
        linger.published(nanoTime.getAsLong());
        EntryHeader header = headers.next(EntryKind.MESSAGES, reader.epoch(), 0);
        inFlight.publish(header.sequence(), taken.encode(header), taken.attachments(), header.epoch());
    }

    private void completeDrains() {
        if (drains.isEmpty() || !inFlight.isEmpty() || !waiting.isEmpty()) return;
        List<CompletableFuture<Void>> drained = List.copyOf(drains);
        drains.clear();
        drained.forEach(one -> one.complete(null));
    }

    /** Handles the events of the reader. */
    private final class ReaderEvents implements LogListener {
        @Override
        public void entry(LogEntry entry) {
            LogGap lost = lostTail.gapBefore(entry);
            if (lost != null) owner.gap(lost);
            if (entry.stored() != null && lostTail.detect(entry, entry.stored())) tick();
            boolean mine = entry.header().incarnation() == headers.incarnation();
            List<A> own = null;
            if (mine) {
                passed(entry.header());
                own = inFlight.readBack(entry.header().sequence());
                if (own != null) counters.accepted.add(own.size());
            }
            owner.entry(entry, own);
            if (mine) appender.readBack(entry.header().sequence());
            continueStart(entry, mine);
            if (mine) {
                completeDrains();
                publishPending();
            }
        }

        private void continueStart(LogEntry entry, boolean mine) {
            switch (start.read(entry, mine, nanoTime.getAsLong())) {
                case NONE -> {}
                case HELLO_READ -> {
                    evaluateGate();
                    owner.started();
                    if (start.awaitsAnswer())
                        loop.schedule(
                                LogPartition.this::onAnswerTimeout,
                                settings.reconnect().toNanos(),
                                TimeUnit.NANOSECONDS);
                    else heartbeats.helloDueNow();
                    tick();
                }
                case STARTED -> {
                    evaluateGate();
                    tick();
                }
            }
        }

        private void passed(EntryHeader header) {
            watchdog.passed();
            inFlight.passed(header.sequence());
            heartbeats.passed(header.sequence());
        }

        @Override
        public void gap(LogGap gap) {
            inFlight.passedOver();
            owner.gap(gap);
        }

        @Override
        public void malformed(long offset, byte[] bytes, MalformedEntry why) {
            long epoch = reader.epoch();
            if (epoch == 0) return; // the owner has received no entry of this log yet
            long from = Position.of(epoch, offset, 0) - 1;
            long to = Position.of(epoch, offset, Position.MESSAGES_PER_ENTRY - 1);
            owner.gap(new LogGap(LogGap.Reason.UNREADABLE, from, to));
        }

        @Override
        public void stale(EntryHeader header) {
            if (header.incarnation() != headers.incarnation()) return;
            passed(header);
            if (inFlight.isCurrent(header)) appender.readBack(header.sequence());
            publishPending();
        }

        @Override
        public void attached() {
            tick();
        }

        @Override
        public void detached(LogUnavailable cause) {
            evaluateGate();
        }

        @Override
        public void replaced(long knownEpoch) {
            lostTail.raiseLowestEpoch(reader.floor());
            evaluateGate();
            if (log.state() == RoomLog.State.UP) publishHello(knownEpoch);
        }
    }
}
