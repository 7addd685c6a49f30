package chat.bench.asking;

import chat.persistence.batch.Batch;
import chat.persistence.batch.BatchStore.Outcome;
import chat.persistence.batch.MessageRow;
import chat.persistence.batch.StoreUnavailable;
import chat.persistence.store.PostgresStore;
import chat.protocol.MessageType;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Stores messages in the background as the consumer does: a batch every 100 ms. */
final class Arriving implements AutoCloseable {
    private static final int PER_SECOND = 10;

    private final PostgresStore store;
    private final int rows;
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();
    private final SplittableRandom random = new SplittableRandom(1);
    private final AtomicLong stored = new AtomicLong();
    private long position = System.currentTimeMillis() << 20;

    /** @param rate messages per second */
    Arriving(PostgresStore store, int rate) {
        this.store = store;
        this.rows = rate / PER_SECOND;
    }

    Arriving start() {
        if (rows > 0) {
            var unused = thread.scheduleAtFixedRate(this::store, 0, 1000 / PER_SECOND, TimeUnit.MILLISECONDS);
        }
        return this;
    }

    long stored() {
        return stored.get();
    }

    private void store() {
        List<MessageRow> batch = new ArrayList<>();
        long now = System.currentTimeMillis();
        for (int i = 0; i < rows; i++) {
            int user = 1 + random.nextInt(Archive.USERS);
            batch.add(new MessageRow(
                    new UUID((now << 16) | 0x7000 | random.nextInt(4096), (random.nextLong() >>> 2) | (1L << 63)),
                    Integer.toString(1 + random.nextInt(Archive.ROOMS)),
                    Integer.toString(user),
                    "user" + user,
                    MessageType.TEXT,
                    "x".repeat(100),
                    now,
                    position++,
                    "server-1-4f9c2a",
                    "10.1.2.3",
                    new byte[0]));
        }
        try {
            Outcome unused =
                    store.write(new Batch(0, batch, List.of(), List.of(), null, Batch.Cause.SIZE, false), null, false);
            stored.addAndGet(rows);
        } catch (StoreUnavailable failed) {
            System.err.println("cannot store a batch: " + failed.getMessage());
        }
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
