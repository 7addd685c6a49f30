package chat.persistence.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import chat.log.LogEntry;
import chat.log.MalformedEntry;
import chat.persistence.batch.EntryRows;
import com.code_intelligence.jazzer.junit.FuzzTest;

/** {@code tools/fuzz} searches for entries that break this; the ordinary tests use those in the resources. */
class EntryDecoderFuzzTest {
    @FuzzTest
    void everyMessageBecomesARowOrADeadLetter(byte[] bytes) {
        LogEntry entry;
        try {
            entry = LogEntry.parse(bytes, 1, 2);
        } catch (MalformedEntry broken) {
            return;
        }
        EntryRows rows = EntryDecoder.decode(entry);
        assertThat(rows.rows().size() + rows.deadLetters().size()).isEqualTo(entry.messages());
    }
}
