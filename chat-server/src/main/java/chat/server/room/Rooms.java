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
 * All rooms of this server, by partition. A partition is read from its first member here on, or {@linkplain #readAhead
 * ahead} of it: its messages wait until the reading has begun. Unless it is to be kept, it is given up when nobody has been
 * here for a while, and begun anew, as by a server that starts, with the next member. Thread-safe; nothing blocks but
 * {@link #drain} and {@link #close}.
 */
public final class Rooms implements AutoCloseable {
    /** How often a stop looks whether sessions that have ended have said so. */
    private static final long OWED_LEAVES_MILLIS = 20;

    /** So long the thread of a partition that was given up still answers. */
    private static final long GIVEN_UP_MILLIS = 10_000;

    private static final Logger logger = LoggerFactory.getLogger(Rooms.class);

    private final RoomLog log;
    private final RoomSettings settings;
    private final LogSettings logSettings;
    private final Clock clock;
    private final LongSupplier nanoTime;
    private final History history;
    private final LogCounters logCounters;
    private final RoomCounters counters;
    /** Null where nothing is traced. */
    private final @Nullable Traces traces;

    private final TemporaryReaders backlog;
    private final CatchUpScheduler catchUps;
    private final EndedSessions departures;
    /** Under the lock. What it begins with is drawn here, as that reads a file, which event loops must not. */
    private final SplittableRandom random = new SplittableRandom(new SecureRandom().nextLong());

    private final AtomicReferenceArray<@Nullable Served> partitions;
    /** Of each partition, as what it was read last; 0: not yet. Under the lock. */
    private final long[] runs;

    /** None is given up before this is done. Under the lock. */
    private CompletableFuture<Void> readingAhead = CompletableFuture.completedFuture(null);

    private boolean closed;

    private record Served(ScheduledExecutorService loop, LogPartition<PendingAck> partition, PartitionRooms rooms) {}

    public Rooms(
            RoomLog log,
            RoomSettings settings,
            LogSettings logSettings,
            Clock clock,
            History history,
            LogCounters logCounters,
            RoomCounters counters) {
        this(log, settings, logSettings, clock, System::nanoTime, history, logCounters, counters, null, () -> false);
    }

    /**
     * @param traces receives the steps of sampled messages; null: no message is traced
     * @param heapShort whether catching up must not take more of the heap now; any thread may ask
     */
    public Rooms(
            RoomLog log,
            RoomSettings settings,
            LogSettings logSettings,
            Clock clock,
            History history,
            LogCounters logCounters,
            RoomCounters counters,
            @Nullable Traces traces,
            BooleanSupplier heapShort) {
        this(log, settings, logSettings, clock, System::nanoTime, history, logCounters, counters, traces, heapShort);
    }

    /** @param nanoTime as {@link System#nanoTime} */
    public Rooms(
            RoomLog log,
            RoomSettings settings,
            LogSettings logSettings,
            Clock clock,
            LongSupplier nanoTime,
            History history,
            LogCounters logCounters,
            RoomCounters counters) {
        this(log, settings, logSettings, clock, nanoTime, history, logCounters, counters, null, () -> false);
    }

    private Rooms(
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
        // Its JOIN may have to be read back before it, and then it may wait as long itself.
        this.departures =
                new EndedSessions(logSettings.overdue().multipliedBy(2).plus(logSettings.heartbeat()), nanoTime);
        this.history = history;
        this.logCounters = logCounters;
        this.counters = counters;
        this.traces = traces;
        this.backlog = new TemporaryReaders(log, settings.backlogReaders(), logSettings.heartbeat(), counters);
        this.catchUps = new CatchUpScheduler(settings, heapShort, new NanoMeter(nanoTime), counters);
        this.partitions = new AtomicReferenceArray<>(log.partitions());
        this.runs = new long[log.partitions()];
    }

    /**
     * Begins to read partitions as their first members would have it done, so that those do not wait for it: the ones that are
     * to be kept, as members are sent here for these; all where none is named. None is given up before all have been read.
     *
     * @return completes when what was said lately is known of each; cancelled where these rooms are closed before
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

    /** Hands a message to the log, unless it is known; what becomes of it comes back through its {@link PendingAck}. */
    public Offer offer(OutgoingMessage message, PendingAck sent) {
        int partition = message.room().partition(log.partitions());
        Served served = served(partition);
        if (served == null) return Offer.UNAVAILABLE;
        Offer offer = offer(served, message, sent);
        if (offer != Offer.UNAVAILABLE) return offer;
        Served now = start(partition); // it may have been given up just now
        return now == null || now.equals(served) ? offer : offer(now, message, sent);
    }

    private static Offer offer(Served served, OutgoingMessage message, PendingAck sent) {
        if (served.rooms().sentAgain().answer(message, sent)) return Offer.TAKEN;
        return served.partition().offer(message, sent);
    }

    /** Calls back, on the partition's thread, when a room whose {@link #offer} was FULL may be tried again. */
    public void whenRoom(RoomId room, Runnable resume) {
        Served served = served(room);
        if (served != null) served.partition().whenRoom(resume);
    }

    /** A session has ended, and its LEAVE follows: it is watched until its room has heard that. */
    public void departing(Membership membership) {
        departures.await(membership);
    }

    /** Sessions that ended longer ago than a LEAVE may take and whose rooms still count them. */
    public int overdueDepartures() {
        return departures.overdue();
    }

    /** A session has ended whose LEAVE the log does not take now: its room here is told at once, the log when it can be. */
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
     * Sends a member a page of the members of its room, ascending by userId.
     *
     * @param after a userId; null: from the first on
     * @param answered told, on the partition's thread, whether it was still a member and has been sent it
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

    /** Whether this server remembers the room. Any thread. */
    public boolean knows(RoomId room) {
        Served served = partitions.get(room.partition(log.partitions()));
        return served != null && served.rooms().knows(room);
    }

    /** Null where these rooms are closed and the partition was never read. */
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
        long run = random.nextLong(); // a new one each time, as it numbers its entries anew
        long former = runs[partition];
        runs[partition] = run;
        ScheduledExecutorService loop = PartitionLoop.named("partition-" + partition);
        PartitionRooms rooms = new PartitionRooms(
                settings,
                nanoTime,
                counters,
                history,
                backlog,
                loop,
                settings.rememberedIds() / log.partitions(),
                logSettings.memory().toMillis(),
                withMembers -> new PartitionPresence(
                        run, former, logSettings, settings.presence(), nanoTime, counters.presence, withMembers),
                catchUps,
                traces == null ? null : new PartitionTraces(traces, partition, nanoTime));
        LogPartition<PendingAck> served = new LogPartition<>(
                log, partition, settings.serverId(), run, logSettings, clock, nanoTime, loop, logCounters, rooms);
        Served started = new Served(loop, served, rooms);
        rooms.serve(served, new IdleTime(graceNanos(partition), nanoTime, () -> giveUp(partition, started)));
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
    private void giveUp(int partition, Served served) {
        if (served.rooms().hasDepartedMembersCatchingUp()) return;
        synchronized (this) {
            if (closed || !readingAhead.isDone() || !served.partition().closeIfIdle()) return;
            partitions.set(partition, null);
        }
        served.loop().execute(served.rooms()::end); // behind the end of the reading
        logger.info(
                "partition {} has had no member here for {}: it is read no more", partition, settings.partitionGrace());
        // Whoever found it before gets an answer.
        var unused = served.loop().schedule(served.loop()::shutdown, GIVEN_UP_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** Partitions read here. */
    public int partitionsRead() {
        return (int) allServed().count();
    }

    /** Whether the log can be reached, and every partition read here takes messages now. */
    public boolean available() {
        if (log.state() != RoomLog.State.UP) return false;
        return allServed().allMatch(served -> served.partition().available());
    }

    /** Of the log behind all partitions. */
    public RoomLog.State logState() {
        return log.state();
    }

    /** When a message that was refused because the log was not there may be sent again, in milliseconds. */
    public int retryAfterMillis(int whereNotKnown) {
        long millis = log.retryAfter().toMillis();
        return millis <= 0 ? whereNotKnown : (int) Math.min(Integer.MAX_VALUE, millis + 1);
    }

    /** How long the first of this server's entries in this partition has not been read back, in seconds. */
    public double readLagSeconds(int partition) {
        Served served = partitions.get(partition);
        return served == null ? 0 : served.partition().readLag().toNanos() / 1e9;
    }

    public int partitions() {
        return partitions.length();
    }

    /** Waits until nothing of this server waits or is on its way to the log, and no LEAVE is owed, at most so long. */
    public boolean drain(Duration longest) {
        long end = System.nanoTime() + longest.toNanos();
        try {
            while (true) {
                // A LEAVE is owed until the JOIN before it has been read, and while the log does not take it.
                // Asked first: what was handed to the log by then is drained behind it.
                boolean nothingOwed = !departures.areAwaited()
                        && nothingOwed().get(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS);
                allDrained().get(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS);
                if (nothingOwed) return true;
                if (System.nanoTime() - end >= 0) return false;
                Thread.sleep(OWED_LEAVES_MILLIS);
            }
        } catch (java.util.concurrent.TimeoutException | java.util.concurrent.ExecutionException notDrained) {
            return false;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private CompletableFuture<Boolean> nothingOwed() {
        return allServed()
                .map(served -> CompletableFuture.supplyAsync(served.rooms().presence()::owesNothing, served.loop()))
                .reduce(CompletableFuture.completedFuture(true), (a, b) -> a.thenCombine(b, Boolean::logicalAnd));
    }

    private CompletableFuture<Void> allDrained() {
        return CompletableFuture.allOf(
                allServed().map(served -> served.partition().drain()).toArray(CompletableFuture[]::new));
    }

    private Stream<Served> allServed() {
        return IntStream.range(0, partitions.length()).mapToObj(partitions::get).filter(Objects::nonNull);
    }

    @Override
    public synchronized void close() {
        closed = true;
        readingAhead.cancel(false);
        backlog.close();
        for (int i = 0; i < partitions.length(); i++) {
            @Nullable Served served = partitions.get(i);
            if (served == null) continue;
            served.partition().close();
            served.loop().shutdown();
        }
    }
}
