package chat.bench.writing;

import chat.log.RoomLog;
import chat.persistence.batch.Backoff;
import chat.persistence.batch.BatchSettings;
import chat.persistence.batch.WriterLimit;
import chat.persistence.ingest.Ingest;
import chat.persistence.ingest.IngestSettings;
import chat.persistence.rollup.PendingRollups;
import chat.persistence.rollup.RollupSettings;
import chat.persistence.rollup.Rollups;
import chat.persistence.store.Pools;
import chat.persistence.store.RowsStoredListener;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** The whole consumer, but for its REST: reads, decodes, numbers, inserts, moves positions, and counts. */
final class WholeConsumer implements AutoCloseable {
    /** As persistence-consumer.yml has it. */
    private static final RollupSettings COUNTING = new RollupSettings(Duration.ofSeconds(2), Duration.ofMinutes(1));

    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final Pools pools;
    private final Ingest ingest;
    private final Rollups counting;
    private final boolean rollups;

    /**
     * @param batch rows that close a batch
     * @param writers batches written at the same time
     * @param rollups whether what is stored is counted, and the views are refreshed, meanwhile
     */
    WholeConsumer(Table table, RoomLog log, int batch, int writers, boolean rollups) {
        this.rollups = rollups;
        IngestSettings settings = new IngestSettings(
                new BatchSettings(batch, Duration.ofMillis(500), Duration.ofSeconds(10)),
                new Backoff.Settings(Duration.ofMillis(100), Duration.ofSeconds(5)),
                Duration.ofSeconds(5),
                Duration.ofMillis(250),
                Duration.ofMillis(300),
                Duration.ofSeconds(10));
        pools = table.pools(meters, log.partitions());
        RowsStoredListener listener = rollups ? new PendingRollups() : RowsStoredListener.UNHEARD;
        ingest = new Ingest(
                log, new WriterLimit(Table.store(pools, listener), writers), settings, meters, Clock.systemUTC());
        counting = new Rollups(pools.aggregating(), COUNTING, meters, Clock.systemUTC());
    }

    void start() {
        ingest.start();
        if (rollups) counting.start();
    }

    /** Rows stored since the start. */
    long stored() {
        return (long) meters.counter("persistence.stored").count();
    }

    /** Counts what is not yet, instead of going on to count: only one fold can be under way. */
    void countTheRest() throws SQLException {
        counting.stop();
        int unused = counting.fold();
    }

    /** Rows, on average. */
    double batchSize() {
        return meters.get("persistence.batch.size").summary().mean();
    }

    /** What writing a batch took, on average. */
    double batchMillis() {
        return meters.get("persistence.batch.write").timer().mean(TimeUnit.MILLISECONDS);
    }

    @Override
    public void close() {
        try (pools) {
            try {
                ingest.stop();
            } finally {
                counting.stop();
            }
        }
    }
}
