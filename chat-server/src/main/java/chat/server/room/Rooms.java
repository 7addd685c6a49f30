package chat.server.room;

import chat.kit.tracing.Traces;
import chat.log.LogCounters;
import chat.log.LogPartition;
import chat.log.LogPartition.Offer;
import chat.log.LogSettings;
import chat.log.OutgoingMessage;
import chat.log.PartitionLoop;
import chat.log.RoomLog;
import chat.protocol.RoomId;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All rooms of this server, by partition. Starts a partition for its first member, or {@linkplain #readAhead before}.
 * Closes it after a time without members, unless the settings keep it, and starts it again for the next member.
 * Thread-safe. Only {@link #drain} and {@link #close} block.
 */
public final class Rooms implements AutoCloseable {
    /** Polling interval of {@link #drain} for LEAVEs of ended sessions. */
    private static final long PENDING_LEAVES_MILLIS = 20;

    /** The thread of a closed partition answers calls for this time. */
    private static final long CLOSED_LOOP_MILLIS = 10_000;

    /** {@link #close} waits this time for the thread of each partition. */
    private static final long LOOP_STOP_MILLIS = 10_000;

    private static final Logger logger = LoggerFactory.getLogger(Rooms.class);

    private final RoomLog log;
    private final RoomSettings settings;
    private final LogSettings logSettings;
    private final Clock clock;
    private final LongSupplier nanoTime;
    private final History history;
    private final LogCounters logCounters;
    private final RoomCounters counters;
    /** Null if tracing is off. */
    private final @Nullable Traces traces;

    private final TemporaryReaders backlog;
    private final CatchUpScheduler catchUps;
    private final EndedSessions departures;
    /** Under the lock. Seeded at construction, because SecureRandom reads a file and event loops must not block. */
    private final SplittableRandom random = new SplittableRandom(new SecureRandom().nextLong());

    private final AtomicReferenceArray<@Nullable Served> partitions;
    /** The last incarnation in each partition; 0 if there was none. Under the lock. */
    private final long[] incarnations;

    /** No partition is closed before this completes. Under the lock. */
    private CompletableFuture<Void> readingAhead = CompletableFuture.completedFuture(null);

    private boolean closed;

    private record Served(ScheduledExecutorService loop, LogPartition<PendingAck> partition, PartitionRooms rooms) {}

    /**
     * @param nanoTime as {@link System#nanoTime}
     * @param traces receives the steps of sampled messages; null if tracing is off
     * @param heapShort whether catch-up must not allocate more heap now; called on any thread
     */
    public Rooms(
            RoomLog log,
            RoomSettings settings,
            LogSettings logSettings,
            Clock clock,
            LongSupplier nanoTime,
            History history,
            LogCounters logCounters,
            RoomCounters counters,
            @Nullable Traces traces,
            BooleanSupplier heapShort) {
        this.log = log;
        this.settings = settings;
        this.logSettings = logSettings;
        this.clock = clock;
        this.nanoTime = nanoTime;
        // The JOIN may have to be read back first; then the LEAVE may take the same time.
        this.departures =
                new EndedSessions(logSettings.overdue().multipliedBy(2).plus(logSettings.heartbeat()), nanoTime);
        this.history = history;
        this.logCounters = logCounters;
        this.counters = counters;
        this.traces = traces;
        this.backlog = new TemporaryReaders(log, settings.backlogReaders(), logSettings.heartbeat(), counters);
        this.catchUps = new CatchUpScheduler(settings, heapShort, new NanoMeter(nanoTime), counters);
        this.partitions = new AtomicReferenceArray<>(log.partitions());
        this.incarnations = new long[log.partitions()];
    }

    /**
     * Starts partitions before their first members, so that these do not wait: the standby partitions, or all if none
     * is configured. Closes no partition before all have started.
     *
     * @return completes when the recent messages of each have been read; cancelled if the rooms are closed before
     */
    public synchronized CompletableFuture<Void> readAhead() {
        IntStream expected = settings.keptPartitions().isEmpty()
                ? IntStream.range(0, partitions())
                : settings.keptPartitions().stream().mapToInt(Integer::intValue);
        CompletableFuture<Void> reading = CompletableFuture.allOf(expected.mapToObj(this::start)
                .filter(Objects::nonNull)
                .map(served -> served.rooms().begun())
                .toArray(CompletableFuture[]::new));
        readingAhead = reading;
        if (closed) reading.cancel(false);
        return reading;
    }

    /** Publishes a message, unless it is a known resend. The outcome arrives through its {@link PendingAck}. */
    public Offer offer(OutgoingMessage message, PendingAck sent) {
        int partition = message.room().partition(log.partitions());
        Served served = served(partition);
        if (served == null) return Offer.UNAVAILABLE;
        Offer offer = offer(served, message, sent);
        if (offer != Offer.UNAVAILABLE) return offer;
        Served now = start(partition); // the partition may have been closed just now
        return now == null || now.equals(served) ? offer : offer(now, message, sent);
    }

    private static Offer offer(Served served, OutgoingMessage message, PendingAck sent) {
        if (served.rooms().duplicates().answer(message, sent)) return Offer.TAKEN;
        return served.partition().offer(message, sent);
    }

    /** Calls back on the partition's thread when an {@link #offer} that returned FULL may be retried. */
    public void whenRoom(RoomId room, Runnable resume) {
        Served served = served(room);
        if (served != null) served.partition().whenRoom(resume);
    }

    /** Watches an ended session until its LEAVE has been read. */
    public void departing(Membership membership) {
        departures.await(membership);
    }

    /** The number of sessions that ended longer ago than a LEAVE may take and that a room still counts. */
    public int overdueDepartures() {
        return departures.overdue();
    }

    /** Removes an ended session whose LEAVE the log does not accept now, and publishes the LEAVE later. */
    public void leaveLater(OutgoingMessage leave, PendingAck sent) {
        Served served = served(leave.room());
        if (served == null) {
            sent.by().end();
            return;
        }
        try {
            served.loop().execute(() -> served.rooms().leaveLater(leave, sent));
        } catch (RejectedExecutionException closed) {
            sent.by().end(); // as is the room
        }
    }

    /**
     * Sends a page of the roster to a member, in ascending order of userId.
     *
     * @param after the page starts after this userId; null: at the first
     * @param answered receives, on the partition's thread, whether the page was sent; false if it is no longer a member
     */
    public void roster(Membership membership, @Nullable String after, int limit, Consumer<Boolean> answered) {
        Served served = served(membership.room());
        if (served == null) {
            answered.accept(false);
            return;
        }
        try {
            served.loop().execute(() -> served.rooms().roster(membership, after, limit, answered));
        } catch (RejectedExecutionException closed) {
            answered.accept(false);
        }
    }

    /** Whether the room is in memory. */
    public boolean knows(RoomId room) {
        Served served = partitions.get(room.partition(log.partitions()));
        return served != null && served.rooms().knows(room);
    }

    /** Returns null if these rooms are closed and the partition was never started. */
    private @Nullable Served served(RoomId room) {
        return served(room.partition(log.partitions()));
    }

    private @Nullable Served served(int partition) {
        Served served = partitions.get(partition);
        return served != null ? served : start(partition);
    }

    private synchronized @Nullable Served start(int partition) {
        Served running = partitions.get(partition);
        if (running != null || closed) return running;
        long incarnation = random.nextLong(); // a new incarnation: it numbers its entries from the start
        long former = incarnations[partition];
        incarnations[partition] = incarnation;
        ScheduledExecutorService loop = PartitionLoop.named("partition-" + partition);
        RoomTable table = new RoomTable(settings, counters);
        PartitionPresence presence = new PartitionPresence(
                incarnation, former, logSettings, settings.presence(), nanoTime, counters.presence, table);
        PartitionRooms rooms = new PartitionRooms(
                settings,
                nanoTime,
                counters,
                table,
                presence,
                history,
                backlog,
                loop,
                settings.rememberedIds() / log.partitions(),
                logSettings.memory().toMillis(),
                catchUps,
                traces == null ? null : new PartitionTraces(traces, partition, nanoTime));
        LogPartition<PendingAck> served = new LogPartition<>(
                log,
                partition,
                settings.serverId(),
                incarnation,
                logSettings,
                clock,
                nanoTime,
                loop,
                logCounters,
                rooms);
        Served started = new Served(loop, served, rooms);
        rooms.serve(served, new VacancyTimer(graceNanos(partition), nanoTime, () -> closeIdle(partition, started)));
        served.start();
        partitions.set(partition, started);
        return started;
    }

    private long graceNanos(int partition) {
        return settings.keptPartitions().contains(partition)
                ? 0
                : settings.partitionGrace().toNanos();
    }

    /** On the partition's thread. */
    private void closeIdle(int partition, Served served) {
        if (served.rooms().hasDepartedMembersCatchingUp()) return;
        synchronized (this) {
            if (closed || !readingAhead.isDone() || !served.partition().closeIfIdle()) return;
            partitions.set(partition, null);
        }
        served.loop().execute(served.rooms()::end); // after the reader has stopped
        logger.info("partition {} had no members for {}: stopped reading it", partition, settings.partitionGrace());
        // Callers that found the partition before still get an answer.
        var unused = served.loop().schedule(served.loop()::shutdown, CLOSED_LOOP_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** The number of partitions that this server reads. */
    public int partitionsRead() {
        return (int) allServed().count();
    }

    /** Whether the log is reachable and every partition that this server reads accepts messages. */
    public boolean available() {
        if (log.state() != RoomLog.State.UP) return false;
        return allServed().allMatch(served -> served.partition().available());
    }

    /** The state of the log that all partitions share. */
    public RoomLog.State logState() {
        return log.state();
    }

    /** Returns the milliseconds after which a message rejected for an unavailable log may be resent. */
    public int retryAfterMillis(int ifUnknown) {
        long millis = log.retryAfter().toMillis();
        return millis <= 0 ? ifUnknown : (int) Math.min(Integer.MAX_VALUE, millis + 1);
    }

    /** Returns the age of the oldest of this server's entries in the partition that is not read back, in seconds. */
    public double readLagSeconds(int partition) {
        Served served = partitions.get(partition);
        return served == null ? 0 : served.partition().readLag().toNanos() / 1e9;
    }

    public int partitions() {
        return partitions.length();
    }

    /**
     * Waits until all messages and LEAVEs of this server are published, at most for the given time.
     *
     * @return whether they are
     */
    public boolean drain(Duration longest) {
        long end = System.nanoTime() + longest.toNanos();
        try {
            while (true) {
                // A LEAVE is pending until the JOIN before it has been read, or while the log does not accept it.
                // Check this first: everything published by then is drained below.
                boolean noLeavePending = !departures.areAwaited()
                        && noLeavePending().get(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS);
                allDrained().get(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS);
                if (noLeavePending) return true;
                if (System.nanoTime() - end >= 0) return false;
                Thread.sleep(PENDING_LEAVES_MILLIS);
            }
        } catch (java.util.concurrent.TimeoutException | java.util.concurrent.ExecutionException notDrained) {
            return false;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private CompletableFuture<Boolean> noLeavePending() {
        return allServed()
                .map(served ->
                        CompletableFuture.supplyAsync(served.rooms().presence()::hasNoPendingLeaves, served.loop()))
                .reduce(CompletableFuture.completedFuture(true), (a, b) -> a.thenCombine(b, Boolean::logicalAnd));
    }

    private CompletableFuture<Void> allDrained() {
        return CompletableFuture.allOf(
                allServed().map(served -> served.partition().drain()).toArray(CompletableFuture[]::new));
    }

    private Stream<Served> allServed() {
        return IntStream.range(0, partitions.length()).mapToObj(partitions::get).filter(Objects::nonNull);
    }

    /** Stops all partitions. On return this server publishes nothing more, unless a partition's thread hangs. */
    @Override
    public void close() {
        List<ScheduledExecutorService> loops = closePartitions();
        try {
            // Outside the lock, which a partition's last steps may take.
            for (ScheduledExecutorService loop : loops) {
                if (!loop.awaitTermination(LOOP_STOP_MILLIS, TimeUnit.MILLISECONDS))
                    logger.warn("{} has not stopped within {} ms", loop, LOOP_STOP_MILLIS);
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized List<ScheduledExecutorService> closePartitions() {
        closed = true;
        readingAhead.cancel(false);
        backlog.close();
        List<Served> running = allServed().toList();
        for (Served served : running) {
            served.partition().close();
            served.loop().shutdown();
        }
        return running.stream().map(Served::loop).toList();
    }
}
