package chat.log;

import chat.log.LogUnavailable.Outcome;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
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
    }

    public enum Offer {
        TAKEN,
        /** Try again when {@link #whenRoom} says so. */
        FULL,
        /** The log can't be reached: nothing is kept. */
        UNAVAILABLE
    }

    private enum Gate {
        /** The log is up, and we have not read up to our own HELLO yet: messages wait. */
        STARTING,
        OPEN,
        SHUT
    }

    /** An entry of so many messages is a sign of load: the next one lingers. */
    private static final int BUSY_MESSAGES = 16;

    private static final long TICK_MILLIS = 250;

    /** Entries that may be published and not read back yet: a reader that lags slows its writer. */
    private static final int MAX_IN_FLIGHT = 32;

    private final RoomLog log;
    private final int partition;
    private final String serverId;
    private final long run;
    private final LogSettings settings;
    private final Clock clock;
    private final Loop loop;
    private final LogCounters counters;
    private final Owner<A> owner;
    private final LogReader reader;

    private final Object waitingLock = new Object();
    private EntryBuilder<A> waiting;
    private long waitingSince;
    private final List<Runnable> wantRoom = new ArrayList<>();
    private boolean pumpRequested;
    private volatile Gate gate = Gate.STARTING;

    /** Those who wanted room when there was some; on the loop only. */
    private final Deque<Runnable> haveRoom = new ArrayDeque<>();

    /** Entries with messages that were handed to the log and have not been read back, in their order. */
    private final Deque<Pending<A>> inFlight = new ArrayDeque<>();

    private final List<CompletableFuture<Void>> drains = new ArrayList<>();
    private @Nullable ScheduledFuture<?> ticking;
    private long sequence;
    /** Entries of any kind that were handed to the log and neither confirmed nor failed. */
    private int unconfirmed;

    private boolean signOutstanding;
    /** Counts the events after which entries must be published again: a failure, another log. */
    private int pass;

    private long againNotBeforeNanos;
    private boolean started;
    private boolean closed;
    private long helloDue;
    private long heartbeatDue;
    private long lingerUntilNanos = System.nanoTime();
    private boolean lingering;
    /** Nothing is published under an origin below this: positions up to there have been given out. */
    private long lowestOrigin;

    private static final class Pending<A> {
        final long sequence;
        final List<A> attachments;
        final long since;
        byte[] bytes;
        long origin;
        int attempts;
        /** The pass of the last attempt. */
        int pass;
        /** Handed to the log, neither confirmed nor failed. */
        boolean outstanding;
        /** The last attempt failed and its outcome is not known. */
        boolean failed;

        Pending(long sequence, byte[] bytes, List<A> attachments, long since, long origin) {
            this.sequence = sequence;
            this.bytes = bytes;
            this.attachments = attachments;
            this.since = since;
            this.origin = origin;
        }
    }

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
        EntryHeader.checkServerId(serverId);
        this.log = log;
        this.partition = partition;
        this.serverId = serverId;
        this.run = run;
        this.settings = settings;
        this.clock = clock;
        this.loop = new Loop(loop);
        this.counters = counters;
        this.owner = owner;
        this.waiting = newBuilder();
        this.reader = new LogReader(
                log, partition, new LogReader.Begin.Recent(), settings, clock, loop, run, counters, new FromReader());
    }

    private EntryBuilder<A> newBuilder() {
        return new EntryBuilder<>(settings.maxEntryBytes(), settings.maxEntryMessages());
    }

    /** Begins to read; any thread. */
    public void start() {
        log.onStateChange(() -> loop.execute(this::tick));
        reader.start();
        loop.execute(() -> {
            if (closed) return;
            tick();
            ticking = loop.every(TICK_MILLIS, this::tick);
        });
    }

    /** Hands a message over; it will be told to the owner in exactly one way: accepted, refused, or unknown. */
    public Offer offer(OutgoingMessage message, A attachment) {
        synchronized (waitingLock) {
            if (gate == Gate.SHUT) {
                counters.refused.increment();
                return Offer.UNAVAILABLE;
            }
            if (waiting.isEmpty()) waitingSince = clock.millis();
            if (!waiting.add(message, attachment)) return Offer.FULL;
            if (pumpRequested) return Offer.TAKEN;
            pumpRequested = true;
        }
        loop.execute(this::pump);
        return Offer.TAKEN;
    }

    /** Calls {@code resume} once, on the loop, when there is room again or the log has become unavailable. */
    public void whenRoom(Runnable resume) {
        synchronized (waitingLock) {
            wantRoom.add(resume);
        }
        loop.execute(this::pump);
    }

    /** Whether messages are taken now; any thread. */
    public boolean available() {
        return gate != Gate.SHUT;
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
            if (closed) return;
            closed = true;
            if (ticking != null) ticking.cancel(false);
            gate = Gate.SHUT;
            refuseWaiting();
            Pending<A> given;
            while ((given = inFlight.poll()) != null) owner.outcomeUnknown(given.attachments);
            checkDrained();
        });
    }

    private void tick() {
        if (closed) return;
        long now = clock.millis();
        giveUpOverdue(now);
        evaluateGate();
        if (log.state() == RoomLog.State.UP) {
            boolean belowOthers = reader.isReading() && reader.origin() < lowestOrigin;
            if ((!started || belowOthers) && now >= helloDue) hello(now, belowOthers ? reader.origin() : 0);
            // Also while nothing else may be published: who looks for the end of the log must find something there.
            if (started && reader.origin() != 0 && now >= heartbeatDue) heartbeat(now);
        }
        pump();
    }

    /** @param previousOrigin of the log that we read, to be replaced; 0 where none is known */
    private void hello(long now, long previousOrigin) {
        helloDue = now + (started ? settings.reconnect() : settings.heartbeat()).toMillis();
        // The clock may be behind the one that made the last origin; a later log must lie above it.
        publishSign(EntryKind.HELLO, previousOrigin, Math.max(now * 1000, Math.max(lowestOrigin, previousOrigin + 1)));
    }

    private void heartbeat(long now) {
        heartbeatDue = now + settings.heartbeat().toMillis();
        publishSign(EntryKind.HEARTBEAT, 0, reader.origin());
    }

    /** There will be another: it is neither kept nor published again, and one at a time is enough. */
    private void publishSign(EntryKind kind, long previousOrigin, long origin) {
        if (signOutstanding) return;
        signOutstanding = true;
        byte[] bytes = EntryBuilder.encodeEmpty(header(kind, origin, previousOrigin));
        unconfirmed++;
        counters.published.increment();
        log.append(partition, bytes)
                .whenComplete((unused, failure) -> loop.execute(() -> {
                    signOutstanding = false;
                    unconfirmed--;
                    if (failure != null) {
                        countReturned(failure);
                        if (kind == EntryKind.HELLO)
                            helloDue = Math.min(
                                    helloDue,
                                    clock.millis() + settings.reconnect().toMillis());
                    }
                    pump();
                }));
    }

    private void giveUpOverdue(long now) {
        long limit = now - settings.overdue().toMillis();
        Pending<A> oldest;
        while ((oldest = inFlight.peek()) != null && oldest.since < limit) {
            inFlight.remove();
            counters.overdue.increment();
            owner.outcomeUnknown(oldest.attachments);
        }
        boolean tooLate;
        synchronized (waitingLock) {
            tooLate = !waiting.isEmpty() && waitingSince < limit;
        }
        if (tooLate) refuseWaiting();
        checkDrained();
    }

    private void evaluateGate() {
        if (closed) return;
        boolean up = log.state() == RoomLog.State.UP;
        Gate next;
        if (up && !started) next = Gate.STARTING;
        else if (up && standsInTheLog()) next = Gate.OPEN;
        else next = Gate.SHUT;
        if (next == gate) return;
        gate = next;
        if (next == Gate.OPEN) {
            againNotBeforeNanos = System.nanoTime();
            heartbeatDue = clock.millis();
        }
        if (next == Gate.SHUT) {
            heartbeatDue = clock.millis();
            refuseWaiting();
        }
    }

    /** So that a log that has lost its end never gets messages under positions that were given out before. */
    private boolean standsInTheLog() {
        return reader.isReading() && reader.origin() >= lowestOrigin;
    }

    private void refuseWaiting() {
        EntryBuilder<A> refused = takeWaiting();
        if (refused != null) {
            counters.refused.add(refused.messages());
            owner.refused(refused.attachments());
        }
        resumeWhoWantRoom();
    }

    /** Null where nothing waits: an empty builder would still be the one that others add to. */
    private @Nullable EntryBuilder<A> takeWaiting() {
        synchronized (waitingLock) {
            pumpRequested = false;
            haveRoom.addAll(wantRoom);
            wantRoom.clear();
            EntryBuilder<A> taken = waiting;
            if (taken.isEmpty()) return null;
            waiting = newBuilder();
            return taken;
        }
    }

    private void resumeWhoWantRoom() {
        synchronized (waitingLock) {
            if (waiting.isEmpty() || gate == Gate.SHUT) {
                haveRoom.addAll(wantRoom);
                wantRoom.clear();
            }
        }
        Runnable resume;
        while ((resume = haveRoom.poll()) != null) resume.run();
    }

    /** Publishes what may be published now: first what must be published again, in order, then what waits. */
    private void pump() {
        if (gate == Gate.SHUT) refuseWaiting();
        else if (gate == Gate.OPEN && standsInTheLog() && publishAgain()) publishWaiting();
        resumeWhoWantRoom();
    }

    /**
     * Publishes again, in order, everything whose outcome is unknown or that was written for another log.
     *
     * @return whether new entries may follow: none may overtake an older one
     */
    private boolean publishAgain() {
        long origin = reader.origin();
        boolean all = true;
        for (Pending<A> entry : inFlight) {
            if (entry.outstanding) {
                // It will fail, or stand in the log as one for another: what comes after it comes after its repetition.
                if (entry.pass != pass || entry.origin != origin) return false;
                // It may be returned, and what comes after it not: one by one, then.
                if (entry.attempts > 1) return false;
            } else if (entry.failed || entry.origin != origin) {
                all = false;
            }
        }
        if (all) return true;
        if (System.nanoTime() - againNotBeforeNanos < 0) return false;
        giveUpOverdue(clock.millis());
        for (Pending<A> entry : inFlight) {
            if (!entry.failed && entry.origin == origin) continue;
            if (entry.origin != origin) {
                entry.origin = origin;
                entry.bytes = EntryHeader.withOrigin(entry.bytes, origin);
            }
            counters.publishedAgain.increment();
            append(entry);
            return false;
        }
        return true;
    }

    private void publishWaiting() {
        if (lingering || unconfirmed >= settings.unconfirmed() || inFlight.size() >= MAX_IN_FLIGHT) return;
        long lingerLeft = lingerUntilNanos - System.nanoTime();
        if (lingerLeft > 0) {
            lingering = true;
            loop.schedule(
                    () -> {
                        lingering = false;
                        pump();
                    },
                    lingerLeft,
                    TimeUnit.NANOSECONDS);
            return;
        }
        EntryBuilder<A> taken = takeWaiting();
        if (taken == null) return;
        if (taken.messages() >= BUSY_MESSAGES)
            lingerUntilNanos = System.nanoTime() + settings.linger().toNanos();
        long origin = reader.origin();
        byte[] bytes = taken.encode(header(EntryKind.MESSAGES, origin, 0));
        Pending<A> entry = new Pending<>(sequence, bytes, taken.attachments(), clock.millis(), origin);
        inFlight.add(entry);
        append(entry);
    }

    private EntryHeader header(EntryKind kind, long origin, long previousOrigin) {
        return new EntryHeader(kind, origin, previousOrigin, run, ++sequence, serverId);
    }

    private void append(Pending<A> entry) {
        entry.attempts++;
        entry.pass = pass;
        entry.failed = false;
        entry.outstanding = true;
        unconfirmed++;
        counters.published.increment();
        log.append(partition, entry.bytes)
                .whenComplete((unused, failure) -> loop.execute(() -> {
                    unconfirmed--;
                    entry.outstanding = false;
                    if (failure != null) failed(entry, failure);
                    pump();
                }));
    }

    private void failed(Pending<A> entry, Throwable failure) {
        boolean notWritten = countReturned(failure);
        if (notWritten && entry.attempts == 1) {
            if (!inFlight.remove(entry)) return;
            counters.refused.add(entry.attachments.size());
            owner.refused(entry.attachments);
            checkDrained();
            return;
        }
        entry.failed = true; // published again when the gate opens, or given up when it is overdue
        if (entry.pass == pass) {
            pass++;
            againNotBeforeNanos = System.nanoTime() + settings.reconnect().toNanos();
        }
    }

    private boolean countReturned(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        boolean notWritten =
                cause instanceof LogUnavailable unavailable && unavailable.outcome() == Outcome.NOT_WRITTEN;
        if (notWritten) counters.returned.increment();
        return notWritten;
    }

    private void checkDrained() {
        if (drains.isEmpty() || !inFlight.isEmpty()) return;
        synchronized (waitingLock) {
            if (!waiting.isEmpty()) return;
        }
        List<CompletableFuture<Void>> drained = List.copyOf(drains);
        drains.clear();
        drained.forEach(one -> one.complete(null));
    }

    /** What the reader says. */
    private final class FromReader implements LogListener {
        @Override
        public void entry(LogEntry entry) {
            boolean mine = entry.header().run() == run;
            List<A> own = null;
            if (mine) {
                own = takeInFlight(entry.header().sequence());
                if (own != null) counters.accepted.add(own.size());
            }
            owner.entry(entry, own);
            if (!mine) return;
            if (!started && entry.header().kind() == EntryKind.HELLO) {
                started = true;
                evaluateGate();
                owner.started();
                tick();
            }
            checkDrained();
            pump();
        }

        private @Nullable List<A> takeInFlight(long sequence) {
            for (Pending<A> entry : inFlight) {
                if (entry.sequence != sequence) continue;
                inFlight.remove(entry);
                return entry.attachments;
            }
            return null;
        }

        @Override
        public void gap(LogGap gap) {
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
            if (header.run() == run) pump();
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
            lowestOrigin = reader.floor();
            evaluateGate();
            if (log.state() == RoomLog.State.UP) hello(clock.millis(), knownOrigin);
        }
    }
}
