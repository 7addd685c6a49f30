package chat.bench.writing;

import chat.log.RoomLog;
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

/** Runs the whole consumer except REST: reads, decodes, inserts, stores positions, and maintains roll-ups. */
final class WholeConsumer implements AutoCloseable {
    /** The default of persistence-consumer.yml. */
    private static final RollupSettings COUNTING = new RollupSettings(Duration.ofSeconds(2), Duration.ofMinutes(1));

    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final Pools pools;
    private final Ingest ingest;
    private final Rollups counting;
    private final boolean rollups;

    /**
     * @param batch rows in a full batch
     * @param writers batches written at the same time
     * @param rollups whether it maintains roll-ups and refreshes the views at the same time
     */
    WholeConsumer(Table table, RoomLog log, int batch, int writers, boolean rollups) {
        this.rollups = rollups;
        IngestSettings settings = new IngestSettings(new BatchSettings(batch, Duration.ofMillis(500)));
        pools = table.pools(meters, log.partitions());
        RowsStoredListener listener = rollups ? new PendingRollups() : RowsStoredListener.NONE;
        ingest = new Ingest(
                log, new WriterLimit(Table.store(pools, listener), writers), settings, meters, Clock.systemUTC());
        counting = new Rollups(pools.aggregating(), COUNTING, meters, Clock.systemUTC());
    }

    void start() {
        ingest.start();
        if (rollups) counting.start();
    }

    /** Returns the number of rows stored since the start. */
    long stored() {
        return (long) meters.counter("persistence.stored").count();
    }

    /** Folds the remaining rows; stops the periodic folds first, because only one fold can run at a time. */
    void countTheRest() throws SQLException {
        counting.stop();
        int unused = counting.fold();
    }

    /** Returns the mean number of rows in a batch. */
    double batchSize() {
        return meters.get("persistence.batch.size").summary().mean();
    }

    /** Returns the mean time to write a batch, in milliseconds. */
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
