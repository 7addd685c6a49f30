package chat.persistence.batch;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is written in one transaction.
 *
 * @param rows in the order of the log
 * @param end up to where the partition is stored with it; null where that does not change
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
        /** It holds no messages; the position had not been written for long enough. */
        POSITION,
        /** The consumer stops. */
        STOP,
        /** Somebody has replayed a dead letter: its place lies before what is stored. */
        REPLAY
    }

    /** Rows and dead letters. */
    public int messages() {
        return rows.size() + deadLetters.size();
    }

    public Batch withDrained() {
        return new Batch(partition, rows, deadLetters, gaps, end, cause, true);
    }
}
