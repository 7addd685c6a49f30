package chat.persistence.ingest;

import chat.log.RoomLog;
import chat.persistence.Database;
import chat.persistence.batch.Backoff;
import chat.persistence.batch.BatchSettings;
import chat.persistence.store.Pools;
import chat.persistence.store.PostgresProperties;
import chat.persistence.store.PostgresStore;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Clock;
import java.time.Duration;

/** A consumer as the configuration would build it, with its counters at hand. */
final class Consumer implements AutoCloseable {
    static final IngestSettings SETTINGS = new IngestSettings(
            new BatchSettings(1000, Duration.ofMillis(100), Duration.ofMillis(200)),
            new Backoff.Settings(Duration.ofMillis(20), Duration.ofMillis(200)),
            Duration.ofMillis(300),
            Duration.ofMillis(100),
            Duration.ofSeconds(10));

    final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    final Ingest ingest;
    private final Pools pools;

    Consumer(RoomLog log, IngestSettings settings) {
        pools = new Pools(properties(), log.partitions(), meters);
        ingest = new Ingest(log, new PostgresStore(pools.writing()), settings, meters, Clock.systemUTC());
        ingest.start();
    }

    private static PostgresProperties properties() {
        return new PostgresProperties(
                Database.node().jdbcUrl(),
                Database.node().user(),
                Database.node().password(),
                "",
                Duration.ofSeconds(1),
                Duration.ofSeconds(5),
                new PostgresProperties.Writing(0),
                new PostgresProperties.Reading(2, Duration.ofSeconds(5)));
    }

    double count(String meter) {
        return meters.counter(meter).count();
    }

    double flushes(String cause) {
        return meters.counter("persistence.flushes", "cause", cause).count();
    }

    PartitionStatus partition() {
        return ingest.health().partitions().getFirst();
    }

    @Override
    public void close() {
        ingest.stop();
        pools.close();
    }
}
