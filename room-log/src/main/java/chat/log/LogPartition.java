package chat.log;

import chat.log.LogUnavailable.Outcome;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
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
        /** Not started yet: messages wait. */
        STARTING,
        OPEN,
        SHUT
    }

    /** An entry of so many messages is a sign of load: the next one lingers. */
    private static final int BUSY_MESSAGES = 16;

    private static final long TICK_MILLIS = 250;

    private final RoomLog log;
    private final int partition;
    private final String serverId;
    private final long run;
    private final LogSettings settings;
    private final Clock clock;
    private final ScheduledExecutorService loop;
    private final LogCounters counters;
    private final Owner<A> owner;
    private final LogReader reader;

    private final Object waitingLock = new Object();
    private EntryBuilder<A> waiting;
    private long waitingSince;
    private List<Runnable> wantRoom = new ArrayList<>();
    private boolean pumpRequested;
    private volatile Gate gate = Gate.STARTING;

    private final Deque<Pending<A>> inFlight = new ArrayDeque<>();
    private final List<CompletableFuture<Void>> drains = new ArrayList<>();
    private @Nullable ScheduledFuture<?> ticking;
    private long sequence;
    private int unconfirmed;
    private boolean readerAttached;
    private boolean started;
    private boolean closed;
    private long helloAt;
    private long heartbeatAt;
    private long lingerUntilNanos;
    private boolean pumpScheduled;
    /** The origin of a log that is gone: nothing is published until there is another. */
    private long goneOrigin;

    private static final class Pending<A> {
        final long sequence;
        final EntryKind kind;
        final byte[] bytes;
        final List<A> attachments;
        final long since;
        long origin;
        int attempts;
        /** Handed to the log, neither confirmed nor failed. */
        boolean outstanding;
        /** The last attempt failed and its outcome is not known. */
        boolean failed;

        Pending(long sequence, EntryKind kind, byte[] bytes, List<A> attachments, long since, long origin) {
            this.sequence = sequence;
            this.kind = kind;
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
        this.log = log;
        this.partition = partition;
        this.serverId = serverId;
        this.run = run;
        this.settings = settings;
        this.clock = clock;
        this.loop = loop;
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
        log.onStateChange(() -> onLoop(this::stateChanged));
        reader.start();
        onLoop(() -> {
            tick();
            ticking = loop.scheduleWithFixedDelay(this::tick, TICK_MILLIS, TICK_MILLIS, TimeUnit.MILLISECONDS);
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
        onLoop(this::pump);
        return Offer.TAKEN;
    }

    /** Calls {@code resume} once, on the loop, when there is room again or the log has become unavailable. */
    public void whenRoom(Runnable resume) {
        synchronized (waitingLock) {
            wantRoom.add(resume);
        }
        onLoop(this::pump);
    }

    /** Whether messages are taken now. */
    public boolean available() {
        return gate != Gate.SHUT;
    }

    /** Completes when nothing of this server waits or is on its way any more. */
    public CompletableFuture<Void> drain() {
        CompletableFuture<Void> drained = new CompletableFuture<>();
        onLoop(() -> {
            drains.add(drained);
            checkDrained();
        });
        return drained;
    }

    /** Stops reading and publishing; what is on its way stays so. */
    @Override
    public void close() {
        reader.close();
        onLoop(() -> {
            closed = true;
            if (ticking != null) ticking.cancel(false);
        });
    }

    private void onLoop(Runnable step) {
        try {
            loop.execute(step);
        } catch (RejectedExecutionException loopIsDown) {
            // The server is stopping; its sockets are closed already.
        }
    }

    private void stateChanged() {
        if (log.state() == RoomLog.State.UP) {
            tick();
        } else if (started) {
            shut();
        }
    }

    private void tick() {
        if (closed) return;
        long now = clock.millis();
        if (!started
                && log.state() == RoomLog.State.UP
                && now - helloAt >= settings.heartbeat().toMillis()) hello(now, 0);
        giveUpOverdue(now);
        evaluateGate();
        if (gate == Gate.OPEN) {
            publishAgain();
            if (now - heartbeatAt >= settings.heartbeat().toMillis()) {
                heartbeatAt = now;
                publishNew(EntryKind.HEARTBEAT, 0, reader.origin());
            }
            pump();
        }
    }

    /** @param previousOrigin of the log that is gone, or 0 */
    private void hello(long now, long previousOrigin) {
        helloAt = now;
        // The clock may be behind the one that made the last origin; a later log must lie above it.
        publishNew(EntryKind.HELLO, previousOrigin, Math.max(now * 1000, previousOrigin + 1));
    }

    private void giveUpOverdue(long now) {
        long limit = now - settings.overdue().toMillis();
        Pending<A> oldest;
        while ((oldest = inFlight.peek()) != null && oldest.since < limit) {
            inFlight.remove();
            if (oldest.outstanding) unconfirmed--;
            oldest.outstanding = false;
            if (!oldest.attachments.isEmpty()) {
                counters.overdue.increment();
                owner.outcomeUnknown(oldest.attachments);
            }
        }
        boolean tooLate;
        synchronized (waitingLock) {
            tooLate = !waiting.isEmpty() && waitingSince < limit;
        }
        if (tooLate) refuseWaiting();
        checkDrained();
    }

    private void evaluateGate() {
        boolean usable = started && readerAttached && log.state() == RoomLog.State.UP;
        if (usable && goneOrigin != 0) {
            usable = reader.origin() != goneOrigin;
            if (usable) goneOrigin = 0;
            else if (clock.millis() - helloAt >= settings.reconnect().toMillis()) hello(clock.millis(), goneOrigin);
        }
        if (usable && gate != Gate.OPEN) {
            gate = Gate.OPEN;
            heartbeatAt = 0;
        } else if (!usable && gate == Gate.OPEN) {
            shut();
        }
    }

    private void shut() {
        gate = Gate.SHUT;
        refuseWaiting();
    }

    private void refuseWaiting() {
        EntryBuilder<A> refused = takeWaiting();
        if (refused.isEmpty()) return;
        counters.refused.add(refused.messages());
        owner.refused(refused.attachments());
    }

    private EntryBuilder<A> takeWaiting() {
        EntryBuilder<A> taken;
        List<Runnable> resumed;
        synchronized (waitingLock) {
            taken = waiting;
            resumed = wantRoom;
            if (!taken.isEmpty()) waiting = newBuilder();
            if (!resumed.isEmpty()) wantRoom = new ArrayList<>();
            pumpRequested = false;
        }
        resumed.forEach(Runnable::run);
        return taken;
    }

    private void pump() {
        if (closed) return;
        if (gate == Gate.SHUT) refuseWaiting();
        if (gate != Gate.OPEN) return;
        if (inFlight.stream().anyMatch(entry -> entry.failed)) publishAgain();
        if (unconfirmed >= settings.unconfirmed() || pumpScheduled) return;
        long lingerLeft = lingerUntilNanos - System.nanoTime();
        if (lingerLeft > 0) {
            pumpScheduled = true;
            try {
                loop.schedule(this::pumpAfterLinger, lingerLeft, TimeUnit.NANOSECONDS);
            } catch (RejectedExecutionException loopIsDown) {
                // The server is stopping.
            }
            return;
        }
        EntryBuilder<A> taken = takeWaiting();
        if (taken.isEmpty()) return;
        if (taken.messages() >= BUSY_MESSAGES)
            lingerUntilNanos = System.nanoTime() + settings.linger().toNanos();
        long origin = reader.origin();
        byte[] bytes = taken.encode(header(EntryKind.MESSAGES, origin, 0));
        publish(new Pending<>(sequence, EntryKind.MESSAGES, bytes, taken.attachments(), clock.millis(), origin));
    }

    private void pumpAfterLinger() {
        pumpScheduled = false;
        pump();
    }

    private EntryHeader header(EntryKind kind, long origin, long previousOrigin) {
        return new EntryHeader(kind, origin, previousOrigin, run, ++sequence, serverId);
    }

    private void publishNew(EntryKind kind, long previousOrigin, long origin) {
        byte[] bytes = EntryBuilder.encodeEmpty(header(kind, origin, previousOrigin));
        publish(new Pending<>(sequence, kind, bytes, List.of(), clock.millis(), origin));
    }

    private void publish(Pending<A> entry) {
        inFlight.add(entry);
        append(entry);
    }

    private void append(Pending<A> entry) {
        entry.attempts++;
        entry.failed = false;
        entry.outstanding = true;
        unconfirmed++;
        counters.published.increment();
        log.append(partition, entry.bytes)
                .whenComplete((unused, failure) -> onLoop(() -> {
                    if (!entry.outstanding) return;
                    entry.outstanding = false;
                    unconfirmed--;
                    if (failure != null) failed(entry, failure);
                    pump();
                }));
    }

    private void failed(Pending<A> entry, Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        boolean notWritten =
                cause instanceof LogUnavailable unavailable && unavailable.outcome() == Outcome.NOT_WRITTEN;
        if (notWritten) counters.returned.increment();
        if (entry.kind != EntryKind.MESSAGES) {
            inFlight.remove(entry); // there will be another
        } else if (notWritten && entry.attempts == 1) {
            inFlight.remove(entry);
            counters.refused.add(entry.attachments.size());
            owner.refused(entry.attachments);
        }
        entry.failed = true; // published again when the gate opens, or given up when it is overdue
        checkDrained();
    }

    /** In order, everything whose outcome is unknown or that was written for another log. */
    private void publishAgain() {
        long origin = reader.origin();
        for (Pending<A> entry : List.copyOf(inFlight)) {
            if (entry.outstanding || (!entry.failed && entry.origin == origin)) continue;
            if (entry.kind != EntryKind.MESSAGES) {
                inFlight.remove(entry);
                continue;
            }
            if (entry.origin != origin) {
                entry.origin = origin;
                EntryHeader.changeOrigin(entry.bytes, origin);
            }
            counters.publishedAgain.increment();
            append(entry);
        }
    }

    private void checkDrained() {
        if (drains.isEmpty()) return;
        synchronized (waitingLock) {
            if (!waiting.isEmpty()) return;
        }
        for (Pending<A> entry : inFlight) if (!entry.attachments.isEmpty()) return;
        drains.forEach(drained -> drained.complete(null));
        drains.clear();
    }

    /** What the reader says. */
    private final class FromReader implements LogListener {
        @Override
        public void entry(LogEntry entry) {
            List<A> own = null;
            if (entry.header().run() == run) {
                Pending<A> written = takeInFlight(entry.header().sequence());
                if (written != null) {
                    own = written.attachments;
                    counters.accepted.add(own.size());
                }
            }
            owner.entry(entry, own);
            if (entry.header().run() != run) return;
            if (!started && entry.header().kind() == EntryKind.HELLO) {
                started = true;
                evaluateGate();
                owner.started();
            }
            checkDrained();
            pump();
        }

        private @Nullable Pending<A> takeInFlight(long sequence) {
            for (Pending<A> entry : inFlight) {
                if (entry.sequence != sequence) continue;
                inFlight.remove(entry);
                return entry;
            }
            return null;
        }

        @Override
        public void gap(LogGap gap) {
            owner.gap(gap);
        }

        @Override
        public void stale(EntryHeader header) {
            if (header.run() == run && gate == Gate.OPEN) publishAgain();
        }

        @Override
        public void attached() {
            readerAttached = true;
            tick();
        }

        @Override
        public void detached(LogUnavailable cause) {
            readerAttached = false;
            if (started) shut();
        }

        @Override
        public void replaced(long knownOrigin) {
            readerAttached = false;
            goneOrigin = knownOrigin;
            if (started) shut();
            hello(clock.millis(), knownOrigin);
        }
    }
}
