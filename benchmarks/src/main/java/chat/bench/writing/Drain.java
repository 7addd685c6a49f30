package chat.bench.writing;

import chat.log.RoomLog;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Measures how fast the whole consumer drains a backlog. */
final class Drain {
    private static final Duration LIMIT = Duration.ofMinutes(5);

    private final Table table;
    private final RoomLog log;
    private final int writers;
    private final boolean rollups;

    /**
     * @param writers batches written at the same time
     * @param rollups whether the consumer maintains roll-ups and refreshes the views at the same time
     */
    Drain(Table table, RoomLog log, int writers, boolean rollups) {
        this.table = table;
        this.log = log;
        this.writers = writers;
        this.rollups = rollups;
    }

    /** @param messages number of messages in the log; each must become a row */
    Measured measure(String name, long messages, int batch, long rowsBefore) throws InterruptedException, SQLException {
        try (WholeConsumer consumer = new WholeConsumer(table, log, batch, writers, rollups)) {
            consumer.start();
            // The first quarter is start and warm-up; the rest is measured.
            await(consumer, messages / 4);
            Usage begun = Usage.now(table);
            long before = consumer.stored();
            long from = System.nanoTime();
            await(consumer, messages);
            double seconds = (System.nanoTime() - from) / 1e9;
            long stored = consumer.stored() - before;
            Cost cost = Usage.now(table).since(begun, stored);
            return new Measured(
                    name,
                    writers,
                    (int) Math.round(consumer.batchSize()),
                    "nothing",
                    rowsBefore,
                    stored / seconds,
                    consumer.batchMillis(),
                    cost);
        }
    }

    private static void await(WholeConsumer consumer, long messages) throws InterruptedException {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (consumer.stored() < messages) {
            if (System.nanoTime() > deadline)
                throw new IllegalStateException("only " + consumer.stored() + " rows are stored after " + LIMIT);
            TimeUnit.MILLISECONDS.sleep(5);
        }
    }
}
