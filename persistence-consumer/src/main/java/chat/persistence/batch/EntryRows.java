package chat.persistence.batch;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one entry of the log comes to.
 *
 * @param rows its messages, in order
 * @param deadLetters what could not be read
 * @param mark of the entry; null where it can't be found again, as not even its header could be read
 */
public record EntryRows(
        List<MessageRow> rows,
        List<DeadLetter> deadLetters,
        @Nullable Mark mark) {
    /** The same where the place of the partition is not to move. */
    public EntryRows withoutMark() {
        return new EntryRows(rows, deadLetters, null);
    }

    int messages() {
        return rows.size() + deadLetters.size();
    }
}
