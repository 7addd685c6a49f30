package chat.persistence.batch;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decoded content of one log entry.
 *
 * @param rows its messages, in order
 * @param deadLetters messages that could not be read
 * @param mark of the entry; null if the entry cannot be found again because its header is unreadable
 */
public record EntryRows(
        List<MessageRow> rows,
        List<DeadLetter> deadLetters,
        @Nullable Mark mark) {
    /** The same content, without moving the partition's position. */
    public EntryRows withoutMark() {
        return new EntryRows(rows, deadLetters, null);
    }

    int messages() {
        return rows.size() + deadLetters.size();
    }
}
