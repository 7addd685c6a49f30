package chat.persistence.batch;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Where batches go. Blocking; thread-safe. */
public interface BatchStore {
    /**
     * Makes the store ready to be written to.
     *
     * @throws StoreUnavailable try again later
     */
    void prepare() throws StoreUnavailable;

    /**
     * How far a partition is stored; empty where nothing of it is.
     *
     * @throws StoreUnavailable try again later
     */
    Optional<StoredMark> position(int partition) throws StoreUnavailable;

    /**
     * Messages of a partition that could not become rows, ascending: of those after a position the last ones.
     *
     * @throws StoreUnavailable try again later
     */
    List<UnstoredMessage> notStored(int partition, long after, int limit) throws StoreUnavailable;

    /**
     * Writes the batch and moves the position, both or neither.
     *
     * @param previous up to where the partition was stored when the batch was begun; null where nothing was
     * @param again whether this batch was tried before; an attempt that failed may have been committed all the same
     * @throws StoreUnavailable nothing was lost: the same batch is to be written again
     */
    Outcome write(Batch batch, @Nullable Mark previous, boolean again) throws StoreUnavailable;

    /** What became of a batch. */
    sealed interface Outcome {
        /**
         * It is stored.
         *
         * @param stored rows that were not there before
         * @param duplicates messages that were there already
         * @param deadLetters messages that could not become rows
         * @param swallowed those among them that the database neither stored nor rejected
         * @param renamed those stored under a derived id, as their sender had used their own before for another message
         * @param notStored all messages behind the previous position that are no rows, ascending; empty after a replay
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
