package chat.persistence.batch;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Stores batches. Blocking; thread-safe. */
public interface BatchStore {
    /**
     * Makes the store ready to be written to.
     *
     * @throws StoreUnavailable try again later
     */
    void prepare() throws StoreUnavailable;

    /**
     * The position a partition is stored to; empty if nothing of it is stored.
     *
     * @throws StoreUnavailable try again later
     */
    Optional<StoredMark> position(int partition) throws StoreUnavailable;

    /**
     * Messages of a partition that could not become rows and lie after a position: the last {@code limit} of them,
     * ascending.
     *
     * @throws StoreUnavailable try again later
     */
    List<UnstoredMessage> notStored(int partition, long after, int limit) throws StoreUnavailable;

    /**
     * Writes the batch and moves the position atomically.
     *
     * @param previous stored position when the batch was begun; null if nothing was stored
     * @param again whether this batch was tried before; a failed attempt may have been committed
     * @throws StoreUnavailable nothing was lost: write the same batch again
     */
    Outcome write(Batch batch, @Nullable Mark previous, boolean again) throws StoreUnavailable;

    /** Result of writing a batch. */
    sealed interface Outcome {
        /**
         * The batch is stored.
         *
         * @param stored new rows
         * @param duplicates messages that were stored already
         * @param deadLetters messages that could not become rows
         * @param swallowed dead letters that the database neither stored nor rejected
         * @param renamed rows stored under a derived id because their sender had used the id for another message
         * @param notStored all messages after the previous position that are not rows, ascending; empty after a replay
         */
        record Stored(
                int stored,
                int duplicates,
                int deadLetters,
                int swallowed,
                int renamed,
                List<UnstoredMessage> notStored)
                implements Outcome {
            public Stored(int stored, int duplicates, int deadLetters) {
                this(stored, duplicates, deadLetters, 0, 0, List.of());
            }
        }

        /** Nothing was written: another consumer has moved the position. */
        record Fenced() implements Outcome {}
    }
}
