package chat.persistence.ingest;

import chat.log.RoomLog;
import chat.persistence.Database;
import chat.persistence.batch.Backoff;
import chat.persistence.batch.Batch;
import chat.persistence.batch.BatchSettings;
import chat.persistence.batch.BatchStore;
import chat.persistence.batch.Mark;
import chat.persistence.batch.StoreUnavailable;
import chat.persistence.batch.StoredMark;
import chat.persistence.batch.UnstoredMessage;
import chat.persistence.store.BreakingStore;
import chat.persistence.store.Pools;
import chat.persistence.store.PostgresProperties;
import chat.persistence.store.PostgresStore;
import chat.persistence.store.RowsStoredListener;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A consumer with the same parts as the configured one. Tests can read its counters and kill it. */
final class Consumer implements AutoCloseable {
    static final IngestSettings SETTINGS = new IngestSettings(
            new BatchSettings(1000, Duration.ofMillis(100), Duration.ofMillis(200)),
            new Backoff.Settings(Duration.ofMillis(20), Duration.ofMillis(200)),
            Duration.ofMillis(300),
            Duration.ofMillis(100),
            Duration.ofMillis(100),
            Duration.ofSeconds(10));

    final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    final Ingest ingest;
    private final Pools pools;
    private final AtomicInteger bugs;
    private volatile boolean killed;

    Consumer(RoomLog log, IngestSettings settings) {
        this(log, settings, 0);
    }

    /** @param bugs how often preparing the database fails with an unexpected exception */
    Consumer(RoomLog log, IngestSettings settings, int bugs) {
        this.bugs = new AtomicInteger(bugs);
        pools = new Pools(properties(), log.partitions(), meters);
        PostgresStore store = new PostgresStore(pools.writing(), RowsStoredListener.NONE, Clock.systemUTC());
        BreakingStore breaking = new BreakingStore(store, 5, Duration.ofMillis(200), meters, System::nanoTime);
        ingest = new Ingest(log, new KillableStore(breaking), settings, meters, Clock.systemUTC());
        ingest.start();
    }

    private static PostgresProperties properties() {
        return new PostgresProperties(
                Database.node().jdbcUrl(),
                Database.node().user(),
                Database.node().password(),
                "",
                "",
                "",
                Duration.ofSeconds(1),
                Duration.ofSeconds(5),
                new PostgresProperties.Reading(2, Duration.ofSeconds(5)),
                new PostgresProperties.Aggregating(Duration.ofMinutes(1)));
    }

    private final class KillableStore implements BatchStore {
        private final BatchStore store;

        KillableStore(BatchStore store) {
            this.store = store;
        }

        private void checkAlive() throws StoreUnavailable {
            if (killed) throw new StoreUnavailable("killed", new IllegalStateException());
        }

        @Override
        public void prepare() throws StoreUnavailable {
            checkAlive();
            if (bugs.getAndDecrement() > 0) throw new IllegalStateException("a bug");
            store.prepare();
        }

        @Override
        public Optional<StoredMark> position(int partition) throws StoreUnavailable {
            checkAlive();
            return store.position(partition);
        }

        @Override
        public List<UnstoredMessage> notStored(int partition, long after, int limit) throws StoreUnavailable {
            checkAlive();
            return store.notStored(partition, after, limit);
        }

        @Override
        public Outcome write(Batch batch, @Nullable Mark previous, boolean again) throws StoreUnavailable {
            checkAlive();
            return store.write(batch, previous, again);
        }
    }

    double count(String meter) {
        return meters.counter(meter).count();
    }

    /** Entries dropped because they were copies of entries already read. */
    double copies() {
        return meters.get("persistence.log.repeated").functionCounter().count();
    }

    double flushes(String cause) {
        return meters.counter("persistence.flushes", "cause", cause).count();
    }

    PartitionStatus partition() {
        return ingest.health().partitions().getFirst();
    }

    /** Simulates a kill: it writes nothing more and loses what it has read and not stored. */
    void kill() {
        killed = true;
        pools.close();
        Thread.ofVirtual().start(ingest::stop);
    }

    @Override
    public void close() {
        if (killed) return;
        ingest.stop();
        pools.close();
    }
}
