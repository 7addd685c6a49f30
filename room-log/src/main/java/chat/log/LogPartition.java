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
 * One partition as a server uses it: it reads the partition from the recent past on, and publishes what waits there in
 * groups. An entry is kept until it has been read back, and published again, in order, whenever its outcome is unknown.
 * Nothing is published unless the reader stands in the very log that it knows.
 *
 * <p>{@link #offer} and {@link #whenRoom} may be called on any thread; everything else runs on the partition's
 * {@code loop}, and so do all calls of the owner.
 *
 * @param <A> what the owner wants back with its own messages
 */
public final class LogPartition<A> implements AutoCloseable {

    /** Whom the partition serves. */
    public interface Owner<A> {
        /**
         * The next entry is one that this server wrote.
         *
         * @param publishedNanos when it was handed to the log for the first time, by {@link System#nanoTime}
         * @param confirmedNanos when that was confirmed; 0: it has not been yet
         */
        default void readBack(long publishedNanos, long confirmedNanos) {}

        /**
         * The next entry of the log.
         *
         * @param own where this server wrote it: what was given with each message, by index; else null
         */
        void entry(LogEntry entry, @Nullable List<A> own);

        /** Before the next entry, some are missing. */
        void gap(LogGap gap);

        /** These messages are not in the log and will not come. */
        void refused(List<A> messages);

        /** These messages may be in the log; it was not possible to find out in time. */
        void outcomeUnknown(List<A> messages);

        /** The partition is read, and everything of the recent past has been told. */
        void started();

        /** Whether messages may be published now that it has started; until then they wait. See {@link #look}. */
        default boolean ready() {
            return true;
        }
    }

    public enum Offer {
        TAKEN,
        /** Try again when {@link #whenRoom} says so. */
        FULL,
        /** The log can't be reached: nothing is kept. */
        UNAVAILABLE
    }

    private enum Gate {
        /** The log is up, and we have not read up to our own HELLO yet, or the owner is not ready: messages wait. */
        STARTING,
        OPEN,
        /** The log is being probed: messages are refused, and only what was published before is published again. */
        PROBING,
        SHUT
    }

    private static final long TICK_MILLIS = 250;

    /** Ticks further apart than that: this process stood still, and what came meanwhile is still to be read. */
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final long NOTHING_UNREAD = Long.MIN_VALUE;

    /**
     * After the loss of a stream's leader a broker can confirm entries that it has lost, or never answer. An entry that is not read
     * back in this time is published again in another way, early enough for two attempts before it is overdue.
     */
    private static final long UNREAD_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(4);

    private static final long NOTHING_LOST = -1;

    /** Microseconds that a new origin lies above what was read where the clock is behind: more than a lost end can hold. */
    private static final long LEAP = TimeUnit.MINUTES.toMicros(1);

    /** So many silences long a start may read what others have written before it finds what it has written itself. */
    private static final long LONGEST_START_SILENCES = 4;

    /** Queueing delays count up to so many times the linger: a log that stood still for a while is not one that is busy. */
    private static final int MAX_QUEUEING = 2;

    private final RoomLog log;
    private final int partition;
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
    private final QueueingDelay queueing;
    private final EntriesInFlight<A> inFlight;
    private final Heartbeats signs;

    private final List<CompletableFuture<Void>> drains = new ArrayList<>();
    private @Nullable ScheduledFuture<?> ticking;
    /** Ends what the log tells of its state. */
    private Runnable unwatch = () -> {};

    private Gate gate = Gate.STARTING;
    /** When the first of our entries was published that has not been read back. */
    private volatile long unreadSinceNanos = NOTHING_UNREAD;

    /** Since when the log has had its chance to tell of what has not been read back. */
    private long patientSinceNanos;

    /** How long an entry may stay unread; doubles after each attempt that did not help: the log may just be slow. */
    private long unreadPatienceNanos;

    private long renewedNanos = NOTHING_UNREAD;

    private long tickedNanos;
    /** A pause was noticed by the last regular tick: what came meanwhile may be queued behind it. */
    private boolean paused;

    /** Of the entry that had come last when the log was looked at. */
    private long lookedAtOffset;

    /** The origin in force where our first HELLO stands; 0: that has not been read back yet. */
    private long originAtStart;

    private long pastReadNanos;
    /** Other servers wrote before our first HELLO; a server that still runs answers it. */
    private boolean expectsAnswer;
    /** No position that was given out before can be given out again: see {@link #seeThatTheEndIsKept}. */
    private boolean started;

    private boolean closed;
    private final Linger linger;
    /** Wakes what keeps its distance. */
    private @Nullable ScheduledFuture<?> lingering;

    /** Nothing is published under an origin below this: positions up to there have been given out. */
    private long lowestOrigin;

    /** Where the positions begin of what the log has lost before we began; told when it is known how far they reach. */
    private long lostAfter = NOTHING_LOST;

    /**
     * @param run random, another one at each start of the server
     * @param loop the partition's thread, a single one; the caller ends it after {@link #close}
     */
    public LogPartition(
            RoomLog log,
            int partition,
            String serverId,
            long run,
            LogSettings settings,
            Clock clock,
            ScheduledExecutorService loop,
            LogCounters counters,
            Owner<A> owner) {
        this(log, partition, serverId, run, settings, clock, System::nanoTime, loop, counters, owner);
    }

    /**
     * @param clock for origins
     * @param nanoTime for everything that is measured or due, as {@link System#nanoTime}: a clock that is set must not
     *     make anything overdue
     */
    public LogPartition(
            RoomLog log,
            int partition,
            String serverId,
            long run,
            LogSettings settings,
            Clock clock,
            LongSupplier nanoTime,
            ScheduledExecutorService loop,
            LogCounters counters,
            Owner<A> owner) {
        this.log = log;
        this.partition = partition;
        this.settings = settings;
        this.clock = clock;
        this.nanoTime = nanoTime;
        this.patientSinceNanos = nanoTime.getAsLong();
        this.unreadPatienceNanos = firstUnreadPatience();
        this.loop = new Loop(loop);
        this.counters = counters;
        this.owner = owner;
        this.waiting = new WaitingMessages<>(settings, nanoTime, counters, () -> this.loop.execute(this::pump));
        this.headers = new IncarnationHeaders(run, serverId);
        this.appender = new EntryAppender(log, partition, this.loop, nanoTime, counters);
        long lingerNanos = settings.linger().toNanos();
        this.queueing = new QueueingDelay(MAX_QUEUEING * lingerNanos, nanoTime.getAsLong());
        this.inFlight = new EntriesInFlight<>(
                appender,
                headers,
                settings,
                nanoTime,
                counters,
                owner,
                queueing,
                this::changed,
                () -> log.overdue(partition));
        this.signs = new Heartbeats(appender, headers, settings, nanoTime, this::signAnswered);
        this.linger = new Linger(lingerNanos, queueing, nanoTime.getAsLong());
        this.reader = new LogReader(
                log,
                partition,
                new LogReader.Begin.Recent(),
                settings,
                nanoTime,
                loop,
                run,
                counters,
                new FromReader());
    }

    /** Begins to read; any thread. */
    public void start() {
        Runnable watch = log.onStateChange(() -> loop.execute(this::tick));
        reader.start();
        loop.execute(() -> {
            if (closed) {
                watch.run();
                return;
            }
            unwatch = watch;
            tickedNanos = nanoTime.getAsLong();
            tick();
            ticking = loop.every(TICK_MILLIS, this::regularTick);
        });
    }

    /** Hands a message over; it will be told to the owner in exactly one way: accepted, refused, or unknown. */
    public Offer offer(OutgoingMessage message, A attachment) {
        return waiting.offer(message, attachment);
    }

    /** Calls {@code resume} once, on the loop, when there is room again or the log has become unavailable. */
    public void whenRoom(Runnable resume) {
        waiting.whenRoom(resume);
    }

    /** Whether messages are taken now; any thread. */
    public boolean available() {
        return !waiting.isShut();
    }

    /** How long the first of our entries, signs of life included, has been published and not read back; any thread. */
    public Duration readLag() {
        long since = unreadSinceNanos;
        return since == NOTHING_UNREAD ? Duration.ZERO : Duration.ofNanos(Math.max(0, nanoTime.getAsLong() - since));
    }

    /**
     * How much longer this server's entries take of late than they need, because something on their way is busy, in
     * nanoseconds: twice {@link LogSettings#linger} at most, 0 where none was read back for a second. On the loop only.
     */
    public long queueingNanos() {
        return queueing.nanos(nanoTime.getAsLong());
    }

    /** To be called when the owner has become {@link Owner#ready}. On the loop only. */
    public void look() {
        tick();
    }

    /**
     * Hands a roster to the log, if anything may be written now; it is neither kept nor published again. On the loop only.
     *
     * @param parts all of one roster
     * @param failed called on the loop, once or more often, when not all of it may be in the log
     * @return whether it was handed over
     */
    public boolean publish(List<Roster> parts, Runnable failed) {
        if (closed || !started || log.state() != RoomLog.State.UP || !standsInTheLog()) return false;
        for (Roster part : parts) {
            EntryHeader header = headers.next(EntryKind.ROSTER, reader.origin(), 0);
            appender.append(header.sequence(), part.encode(header), failure -> {
                if (failure != null) failed.run();
                pump();
            });
        }
        return true;
    }

    /** Whether messages are taken, and none of this server waits or is on its way. On the loop only. */
    public boolean isIdle() {
        return gate == Gate.OPEN && inFlight.isEmpty() && waiting.isEmpty();
    }

    /**
     * Closes it if it is {@linkplain #isIdle idle}, so that nobody's message is refused for it: who offers one from now on
     * is told at once that it is not taken. On the loop only.
     *
     * @return whether it is closed now
     */
    public boolean closeIfIdle() {
        // What is on its way, if only a sign of life, is still to be counted as answered.
        if (closed || !isIdle() || appender.unconfirmed() > 0 || !waiting.shutIfEmpty()) return false;
        reader.close();
        end();
        return true;
    }

    /** Completes when nothing of this server waits or is on its way any more; any thread. */
    public CompletableFuture<Void> drain() {
        CompletableFuture<Void> drained = new CompletableFuture<>();
        loop.execute(() -> {
            drains.add(drained);
            checkDrained();
        });
        return drained;
    }

    /**
     * Stops reading and publishing; any thread. What waits is refused, and of what is on its way the outcome is unknown:
     * {@link #drain} first. A loop that is shut down at once may end before anyone is told.
     */
    @Override
    public void close() {
        reader.close();
        loop.execute(() -> {
            end();
            refuseWaiting();
            inFlight.giveUpAll();
            checkDrained();
        });
    }

    private void end() {
        closed = true;
        unwatch.run();
        if (ticking != null) ticking.cancel(false);
        become(Gate.SHUT);
    }

    private void regularTick() {
        long now = nanoTime.getAsLong();
        paused = !paused && now - tickedNanos >= PAUSE_NANOS; // one that is always late judges every other time
        tickedNanos = now;
        tick();
    }

    private void tick() {
        if (closed) return;
        giveUpOverdue();
        evaluateGate();
        seeThatItIsReadBack();
        RoomLog.State state = log.state();
        boolean probing = state == RoomLog.State.PROBING;
        if (state == RoomLog.State.UP || probing) {
            boolean belowOthers = reader.isReading() && reader.origin() < lowestOrigin;
            boolean replaces = belowOthers || startsAlone();
            if ((!started || replaces || reader.lacksOrigin()) && signs.isHelloDue())
                hello(replaces ? reader.origin() : 0);
            // Also while nothing else may be published: who looks for the end of the log must find something there.
            if (started && reader.origin() != 0 && (signs.isHeartbeatDue() || (probing && inFlight.isEmpty())))
                signs.heartbeat(reader.origin());
        }
        pump();
    }

    /** @param previousOrigin of the log that we read, to be replaced; 0 where none is known */
    private void hello(long previousOrigin) {
        // The clock may be behind the one that made the last origin; a later log must lie above it.
        long now = clock.millis() * 1000;
        if (startsAlone() && now <= reader.floor()) now = reader.floor() + LEAP;
        long origin = Math.max(now, Math.max(lowestOrigin, previousOrigin + 1));
        signs.hello(origin, previousOrigin, originAtStart != 0 ? settings.reconnect() : settings.heartbeat());
    }

    /** Whether it has read the past, and no other server has answered that has read it too, and longer. */
    private boolean startsAlone() {
        return originAtStart != 0
                && !started
                && reader.isReading()
                && (!expectsAnswer
                        || nanoTime.getAsLong() - pastReadNanos
                                >= settings.reconnect().toNanos());
    }

    /**
     * The log may have lost its end before this server began, with no server left that has read it. A server that has read the log
     * for longer would have noticed; its messages and rosters prove that it has verified the log, which its heartbeats do not.
     * Without such a server this one replaces the origin: no position of a lost entry is given out again.
     */
    private void seeThatTheEndIsKept(LogEntry entry, boolean mine) {
        EntryKind kind = entry.header().kind();
        if (originAtStart == 0) {
            expectsAnswer |= !mine && kind != EntryKind.STORED;
            if (!mine || kind != EntryKind.HELLO) return;
            originAtStart = entry.origin();
            pastReadNanos = nanoTime.getAsLong();
            boolean begun = entry.header().origin() == entry.origin(); // by this very HELLO
            started = begun || !log.outlivesItsProcess();
            evaluateGate();
            owner.started();
            if (!started && expectsAnswer)
                loop.schedule(this::replaceOrigin, settings.reconnect().toNanos(), TimeUnit.NANOSECONDS);
            else signs.helloDueNow();
        } else if (entry.origin() != originAtStart
                || (!mine && (kind == EntryKind.MESSAGES || kind == EntryKind.ROSTER))) {
            started = true;
            evaluateGate();
        } else {
            return;
        }
        tick();
    }

    private void replaceOrigin() {
        if (started) return;
        signs.helloDueNow();
        tick();
    }

    private void giveUpOverdue() {
        if (paused) return;
        inFlight.giveUpOverdue();
        if (waiting.hasWaited(settings.overdue().toNanos())) refuseWaiting();
        checkDrained();
    }

    /** Also where the reader has not begun: it begins with our HELLO, and that may be what never arrived. */
    private void seeThatItIsReadBack() {
        long now = nanoTime.getAsLong();
        // A channel that never confirms what can be read keeps all that it has published.
        long unconfirmedSince = appender.oldestReadUnconfirmedNanos(NOTHING_UNREAD);
        // Until it has come there, what it wrote stands behind all that was said lately, and that may be much.
        boolean comesCloser = !started
                && reader.lastReceived() != lookedAtOffset
                && now - unreadSinceNanos
                        < LONGEST_START_SILENCES * settings.silence().toNanos();
        lookedAtOffset = reader.lastReceived();
        if (!log.isReachable()
                || comesCloser
                || (unreadSinceNanos == NOTHING_UNREAD && unconfirmedSince == NOTHING_UNREAD)) {
            patientSinceNanos = now;
            return;
        }
        renewIfUnread(now);
        boolean unread = isOverdue(unreadSinceNanos, now) && readerHasHadItsChance(now);
        if (!unread && !isOverdue(unconfirmedSince, now)) return;
        if (paused || !isOverdue(patientSinceNanos, now)) return;
        patientSinceNanos = now;
        counters.unanswered.increment();
        if (unread) inFlight.maybeLost();
        log.unanswered(partition);
    }

    private void renewIfUnread(long now) {
        if (!started || paused || unreadSinceNanos == NOTHING_UNREAD) return;
        if (now - unreadSinceNanos < unreadPatienceNanos || now - patientSinceNanos < unreadPatienceNanos) return;
        if (renewedNanos != NOTHING_UNREAD && now - renewedNanos < unreadPatienceNanos) return;
        renewedNanos = now;
        unreadPatienceNanos =
                Math.min(2 * unreadPatienceNanos, settings.silence().toNanos());
        log.renew(partition)
                .whenComplete((renewed, failure) -> loop.execute(() -> {
                    if (closed || failure != null || !renewed) return;
                    counters.unanswered.increment();
                    inFlight.maybeLost();
                    pump();
                }));
    }

    /** A reader that hears nothing may be what hangs: it subscribes again first, which is done with less. */
    private boolean readerHasHadItsChance(long now) {
        return reader.isHearing()
                || now - unreadSinceNanos
                        >= settings.silence().plus(reader.slack()).toNanos();
    }

    private long firstUnreadPatience() {
        return Math.min(UNREAD_PATIENCE_NANOS, settings.silence().toNanos());
    }

    private boolean isOverdue(long sinceNanos, long now) {
        return sinceNanos != NOTHING_UNREAD
                && now - sinceNanos >= settings.silence().toNanos();
    }

    private void evaluateGate() {
        if (closed) return;
        Gate next = next();
        if (next == gate) return;
        become(next);
        if (next == Gate.OPEN || next == Gate.PROBING) inFlight.againAtOnce();
        signs.heartbeatDueNow();
        if (waiting.isShut()) refuseWaiting();
    }

    private Gate next() {
        return switch (log.state()) {
            case UP ->
                !started ? Gate.STARTING : !standsInTheLog() ? Gate.SHUT : owner.ready() ? Gate.OPEN : Gate.STARTING;
            // What waits for the start may go on waiting: probing is a matter of moments.
            case PROBING ->
                !started || gate == Gate.STARTING ? Gate.STARTING : standsInTheLog() ? Gate.PROBING : Gate.SHUT;
            case BLOCKED, DOWN -> Gate.SHUT;
        };
    }

    private void become(Gate next) {
        gate = next;
        waiting.shut(next == Gate.SHUT || next == Gate.PROBING);
    }

    /** So that a log that has lost its end never gets messages under positions that were given out before. */
    private boolean standsInTheLog() {
        return reader.isReading() && reader.origin() >= lowestOrigin;
    }

    private void refuseWaiting() {
        EntryBuilder<A> refused = waiting.take();
        if (refused != null) {
            counters.refused.add(refused.messages());
            owner.refused(refused.attachments());
        }
        waiting.resumeWhoWantRoom();
    }

    /** While the log is probed one sign of life follows the other, where there is nothing else to probe it with. */
    private void signAnswered(boolean confirmed) {
        if (confirmed && log.state() == RoomLog.State.PROBING) tick();
        else pump();
    }

    private void changed() {
        checkDrained();
        pump();
    }

    /** Publishes what may be published now: first what must be published again, in order, then what waits. */
    private void pump() {
        if (waiting.isShut()) refuseWaiting();
        boolean again = (gate == Gate.OPEN || gate == Gate.PROBING) && standsInTheLog();
        if (again && inFlight.publishAgain(reader.origin()) && gate == Gate.OPEN) publishWaiting();
        waiting.resumeWhoWantRoom();
        unreadSinceNanos = inFlight.oldestNanos(signs.oldestUnreadNanos(NOTHING_UNREAD));
    }

    private void publishWaiting() {
        if (appender.unconfirmed() >= settings.unconfirmed() || inFlight.isFull()) return;
        long lingerLeft = linger.left(nanoTime.getAsLong());
        if (lingerLeft > 0 && !waiting.isFull()) {
            if (lingering == null) lingering = loop.schedule(this::hasLingered, lingerLeft, TimeUnit.NANOSECONDS);
            return;
        }
        if (lingering != null) lingering.cancel(false); // the next wait may be a shorter one
        lingering = null;
        EntryBuilder<A> taken = waiting.take();
        if (taken == null) return;
        linger.published(taken.messages(), nanoTime.getAsLong());
        EntryHeader header = headers.next(EntryKind.MESSAGES, reader.origin(), 0);
        inFlight.publish(header.sequence(), taken.encode(header), taken.attachments(), header.origin());
    }

    private void hasLingered() {
        lingering = null;
        pump();
    }

    private void checkDrained() {
        if (drains.isEmpty() || !inFlight.isEmpty() || !waiting.isEmpty()) return;
        List<CompletableFuture<Void>> drained = List.copyOf(drains);
        drains.clear();
        drained.forEach(one -> one.complete(null));
    }

    /** What the reader says. */
    private final class FromReader implements LogListener {
        @Override
        public void entry(LogEntry entry) {
            tellWhatIsLost(entry);
            if (entry.stored() != null) seeThatItLiesBelow(entry, entry.stored().position());
            boolean mine = entry.header().run() == headers.run();
            List<A> own = null;
            if (mine) {
                passed(entry.header());
                own = inFlight.readBack(entry.header().sequence());
                if (own != null) counters.accepted.add(own.size());
            }
            owner.entry(entry, own);
            if (mine) appender.readBack(entry.header().sequence());
            if (!started) seeThatTheEndIsKept(entry, mine);
            if (!mine) {
                if (!entry.segments().isEmpty()
                        && linger.readFromOther(entry.header().run(), nanoTime.getAsLong())) pump();
                return;
            }
            checkDrained();
            pump();
        }

        /**
         * What is stored was read below the place where that is said. Otherwise the log has lost its end since, or is another
         * one: positions up to there have been given out, whether or not anybody is left who has read them.
         */
        private void seeThatItLiesBelow(LogEntry entry, long stored) {
            long above = Position.originAbove(stored);
            if (stored < entry.position(0) || above <= lowestOrigin || above > Position.MAX_ORIGIN) return;
            lowestOrigin = above;
            if (lostAfter == NOTHING_LOST) lostAfter = entry.position(0) - 1;
            tick();
        }

        /** How far the lost ones reached is known when others have begun above them. */
        private void tellWhatIsLost(LogEntry entry) {
            if (lostAfter == NOTHING_LOST || entry.origin() < lowestOrigin) return;
            owner.gap(new LogGap(LogGap.Reason.LOST_EARLIER, lostAfter, entry.position(0) - 1));
            lostAfter = NOTHING_LOST;
        }

        private void passed(EntryHeader header) {
            unreadPatienceNanos = firstUnreadPatience();
            inFlight.passed(header.sequence());
            signs.passed(header.sequence());
        }

        @Override
        public void gap(LogGap gap) {
            inFlight.passedOver();
            owner.gap(gap);
        }

        @Override
        public void malformed(long offset, byte[] bytes, MalformedEntry why) {
            long origin = reader.origin();
            if (origin == 0) return; // nobody was told anything of this log yet
            long from = Position.of(origin, offset, 0) - 1;
            long to = Position.of(origin, offset, Position.MESSAGES_PER_ENTRY - 1);
            owner.gap(new LogGap(LogGap.Reason.UNREADABLE, from, to));
        }

        @Override
        public void stale(EntryHeader header) {
            if (header.run() != headers.run()) return;
            passed(header);
            if (inFlight.isCurrent(header)) appender.readBack(header.sequence());
            pump();
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
        public void replaced(long knownOrigin) {
            lowestOrigin = Math.max(lowestOrigin, reader.floor());
            evaluateGate();
            if (log.state() == RoomLog.State.UP) hello(knownOrigin);
        }
    }
}
