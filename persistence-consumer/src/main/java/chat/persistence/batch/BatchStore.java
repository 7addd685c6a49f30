package chat.persistence.batch;

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
         * @param duplicates messages whose id was there already
         * @param deadLetters messages that could not become rows
         */
        record Stored(int stored, int duplicates, int deadLetters) implements Outcome {}

        /** Nothing was written: another consumer has moved the position. */
        record Fenced() implements Outcome {}
    }
}
