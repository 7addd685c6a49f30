package chat.bench.writing;

import chat.log.RoomLog;
import chat.persistence.batch.Backoff;
import chat.persistence.batch.BatchSettings;
import chat.persistence.batch.FewWriters;
import chat.persistence.ingest.Ingest;
import chat.persistence.ingest.IngestSettings;
import chat.persistence.rollup.PendingRollups;
import chat.persistence.rollup.RollupSettings;
import chat.persistence.rollup.Rollups;
import chat.persistence.store.Pools;
import chat.persistence.store.StoredRows;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** The whole consumer on a backlog: reads, decodes, numbers, inserts, moves positions. */
final class Drain {
    private static final Duration LIMIT = Duration.ofMinutes(5);

    /** As persistence-consumer.yml has it. */
    private static final RollupSettings COUNTING = new RollupSettings(Duration.ofSeconds(2), Duration.ofMinutes(1));

    private final Table table;
    private final RoomLog log;
    private final int writers;
    private final boolean rollups;

    /**
     * @param writers batches written at the same time
     * @param rollups whether what is stored is counted, and the views are refreshed, meanwhile
     */
    Drain(Table table, RoomLog log, int writers, boolean rollups) {
        this.table = table;
        this.log = log;
        this.writers = writers;
        this.rollups = rollups;
    }

    /** @param messages that the log holds, each of which must become a row */
    Measured measure(String name, long messages, int batch, long rowsBefore) throws InterruptedException {
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        IngestSettings settings = new IngestSettings(
                new BatchSettings(batch, Duration.ofMillis(500), Duration.ofSeconds(10)),
                new Backoff.Settings(Duration.ofMillis(100), Duration.ofSeconds(5)),
                Duration.ofSeconds(5),
                Duration.ofMillis(250),
                Duration.ofMillis(300),
                Duration.ofSeconds(10));
        try (Pools pools = table.pools(meters, log.partitions())) {
            StoredRows listener = rollups ? new PendingRollups() : StoredRows.UNHEARD;
            Ingest ingest = new Ingest(
                    log, new FewWriters(Table.store(pools, listener), writers), settings, meters, Clock.systemUTC());
            Rollups counting = new Rollups(pools.aggregating(), COUNTING, meters, Clock.systemUTC());
            ingest.start();
            if (rollups) counting.start();
            try {
                // A quarter to start and to warm up, the rest is measured.
                await(meters, messages / 4);
                double before = stored(meters);
                long from = System.nanoTime();
                await(meters, messages);
                double seconds = (System.nanoTime() - from) / 1e9;
                double size = meters.get("persistence.batch.size").summary().mean();
                double write = meters.get("persistence.batch.write").timer().mean(TimeUnit.MILLISECONDS);
                return new Measured(
                        name,
                        writers,
                        (int) Math.round(size),
                        "nothing",
                        rowsBefore,
                        (stored(meters) - before) / seconds,
                        write);
            } finally {
                ingest.stop();
                counting.stop();
            }
        }
    }

    private static double stored(SimpleMeterRegistry meters) {
        return meters.counter("persistence.stored").count();
    }

    private static void await(SimpleMeterRegistry meters, long messages) throws InterruptedException {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (stored(meters) < messages) {
            if (System.nanoTime() > deadline)
                throw new IllegalStateException("after " + LIMIT + " only " + stored(meters) + " rows are stored");
            TimeUnit.MILLISECONDS.sleep(5);
        }
    }
}
