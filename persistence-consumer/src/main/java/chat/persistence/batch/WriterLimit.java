package chat.persistence.batch;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * Limits the number of batches written at the same time; the others wait in order. More writers than the database has
 * processors only slow each other down. Thread-safe.
 */
public final class WriterLimit implements BatchStore {
    private final BatchStore store;
    private final Semaphore permits;

    /** @param writers maximum number at the same time, at least 1 */
    public WriterLimit(BatchStore store, int writers) {
        if (writers < 1) throw new IllegalArgumentException("writers must be at least 1, not " + writers);
        this.store = store;
        this.permits = new Semaphore(writers, true);
    }

    @Override
    public void prepare() throws StoreUnavailable {
        store.prepare();
    }

    @Override
    public Optional<StoredMark> position(int partition) throws StoreUnavailable {
        return store.position(partition);
    }

    @Override
    public List<UnstoredMessage> notStored(int partition, long after, int limit) throws StoreUnavailable {
        return store.notStored(partition, after, limit);
    }

    /** Waits without interruption: the writes before it end by themselves or by the connection's timeout. */
    @Override
    public Outcome write(Batch batch, @Nullable Mark previous, boolean again) throws StoreUnavailable {
        permits.acquireUninterruptibly();
        try {
            return store.write(batch, previous, again);
        } finally {
            permits.release();
        }
    }
}
