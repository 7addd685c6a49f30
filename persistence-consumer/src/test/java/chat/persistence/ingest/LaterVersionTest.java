package chat.persistence.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import chat.log.EntryBuilder;
import chat.log.EntryHeader;
import chat.log.EntryKind;
import chat.log.LogEntry;
import chat.log.Position;
import chat.persistence.batch.EntryRows;
import java.util.Arrays;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Entries of later chat servers that are not messages. */
class LaterVersionTest {
    @Test
    void optionalEntryKindIsSkippedAndMovesThePosition() {
        byte[] entry = EntryBuilder.encodeEmpty(new EntryHeader(EntryKind.HEARTBEAT, 99, 0, 7, 1, "later"));
        entry = Arrays.copyOf(entry, entry.length + 7);
        entry[1] = (byte) 200;
        EntryRows rows = EntryDecoder.decode(LogEntry.parse(entry, 99, 5));
        assertThat(rows.rows()).isEmpty();
        assertThat(rows.deadLetters()).isEmpty();
        assertThat(Objects.requireNonNull(rows.mark()).position())
                .isEqualTo(Position.of(99, 5, Position.MESSAGES_PER_ENTRY - 1));
    }
}
