package chat.persistence.batch;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Rows and position written in one transaction.
 *
 * @param rows in the order of the log
 * @param end position the partition is stored to after this batch; null if it does not change
 * @param drained whether nothing follows: the log was read to its end, and its reader stops
 */
public record Batch(
        int partition,
        List<MessageRow> rows,
        List<DeadLetter> deadLetters,
        List<Gap> gaps,
        @Nullable Mark end,
        Cause cause,
        boolean drained) {

    /** Why a batch was closed. */
    public enum Cause {
        /** It held enough messages. */
        SIZE,
        /** Its oldest message had waited long enough. */
        TIME,
        /** It holds no messages, and the position had not been written for long enough. */
        POSITION,
        /** The consumer stops. */
        STOP,
        /** An operator replayed a dead letter; its position is below the stored one. */
        REPLAY
    }

    /** Number of rows and dead letters. */
    public int messages() {
        return rows.size() + deadLetters.size();
    }

    public Batch withDrained() {
        return new Batch(partition, rows, deadLetters, gaps, end, cause, true);
    }
}
