package chat.persistence.ingest;

import chat.kit.tracing.Traces;
import chat.log.LogCounters;
import chat.log.RoomLog;
import chat.persistence.batch.Backoff;
import chat.persistence.batch.BatchStore;
import chat.persistence.batch.StoreUnavailable;
import io.micrometer.core.instrument.MeterRegistry;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Runs all partitions. {@code start} returns at once, even if the database is unavailable; {@code stop} returns once
 * everything read is stored, or after the configured limit. It stops after all higher phases, web servers among them,
 * so that it stores their last messages.
 */
public final class Ingest implements SmartLifecycle {
    private static final Logger log = LoggerFactory.getLogger(Ingest.class);

    /** Extra time for the running step to notice the limit. */
    private static final Duration GRACE = Duration.ofSeconds(2);

    private final RoomLog roomLog;
    private final BatchStore store;
    private final IngestSettings settings;
    private final DatabaseState database = new DatabaseState();
    private final StopSignal stop = new StopSignal();
    private final List<PartitionIngest> partitions;
    private volatile boolean prepared;
    private @Nullable Thread starter;
    private volatile boolean running;

    public Ingest(RoomLog roomLog, BatchStore store, IngestSettings settings, MeterRegistry meters, Clock clock) {
        this(roomLog, store, settings, meters, clock, null);
    }

    /** @param traces records spans of traced messages; null: no tracing */
    public Ingest(
            RoomLog roomLog,
            BatchStore store,
            IngestSettings settings,
            MeterRegistry meters,
            Clock clock,
            @Nullable Traces traces) {
        this.roomLog = roomLog;
        this.store = store;
        this.settings = settings;
        LogCounters counters = new LogCounters();
        long incarnation = new SecureRandom().nextLong();
        IngestMetrics metrics = new IngestMetrics(meters, counters);
        partitions = IntStream.range(0, roomLog.partitions())
                .mapToObj(partition -> new PartitionIngest(
                        roomLog,
                        partition,
                        incarnation,
                        store,
                        settings,
                        counters,
                        metrics,
                        database,
                        stop,
                        clock,
                        traces))
                .toList();
    }

    /** Current state. Any thread; never blocks. */
    public IngestHealth health() {
        IngestHealth.Database databaseStatus = database.isUp()
                ? prepared ? IngestHealth.Database.UP : IngestHealth.Database.STARTING
                : IngestHealth.Database.DOWN;
        return new IngestHealth(
                databaseStatus,
                prepared,
                roomLog.state(),
                partitions.stream().map(PartitionIngest::status).toList());
    }

    @Override
    public void start() {
        running = true;
        starter = Thread.ofPlatform().name("ingest-start").start(this::prepareAndStart);
    }

    private void prepareAndStart() {
        Backoff backoff =
                new Backoff(settings.retry(), () -> ThreadLocalRandom.current().nextDouble());
        while (mayStart()) {
            if (prepare()) {
                partitions.forEach(PartitionIngest::start);
                return;
            }
            if (!mayStart() || !stop.pause(backoff.next())) return;
        }
    }

    private boolean prepare() {
        try {
            store.prepare();
        } catch (StoreUnavailable unavailable) {
            if (mayStart()) database.failed(String.valueOf(unavailable.getMessage()));
            return false;
        } catch (RuntimeException | Error bug) {
            log.error("Preparing the database failed unexpectedly; trying again", bug);
            database.failed(bug.toString());
            return false;
        }
        database.succeeded();
        prepared = true;
        return true;
    }

    /** An in-memory log must be stored even if the consumer stops before it has started reading. */
    private boolean mayStart() {
        return !stop.isGiven() || (!roomLog.outlivesItsProcess() && !stop.isOver());
    }

    @Override
    public void stop() {
        if (!running) return;
        stop.give(settings.stopLimit());
        try {
            if (starter != null) {
                if (roomLog.outlivesItsProcess()) starter.interrupt();
                starter.join(settings.stopLimit().plus(GRACE));
            }
            List<CompletableFuture<Void>> ends =
                    partitions.stream().map(PartitionIngest::stop).toList();
            CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new))
                    .completeOnTimeout(null, settings.stopLimit().plus(GRACE).toMillis(), TimeUnit.MILLISECONDS)
                    .join();
            if (!ends.stream().allMatch(CompletableFuture::isDone))
                log.error("Stopping timed out; messages read but not stored are read again from a durable log");
        } catch (InterruptedException impatient) {
            Thread.currentThread().interrupt();
        } finally {
            partitions.forEach(PartitionIngest::abort);
            running = false;
        }
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** Starts before the web servers, whose phase is near the maximum, and stops after them. */
    @Override
    public int getPhase() {
        return 0;
    }
}
