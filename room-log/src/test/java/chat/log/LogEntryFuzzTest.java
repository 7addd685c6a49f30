package chat.log;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;

/** {@code tools/fuzz} searches for bytes that break this; ordinary test runs use the saved inputs in the resources. */
class LogEntryFuzzTest {
    @FuzzTest
    void anyBytesAreAnEntryThatCanBeReadOrNone(byte[] bytes) {
        LogEntry entry;
        try {
            entry = LogEntry.parse(bytes, 1, 2);
        } catch (MalformedEntry broken) {
            return;
        }
        assertThat(LogEntry.header(bytes)).isEqualTo(entry.header());
        assertThat(entry.messages()).isBetween(0, Position.MESSAGES_PER_ENTRY);
        assertThat(entry.lastPosition()).isGreaterThanOrEqualTo(entry.position(0));
        int index = 0;
        for (Segment segment : entry.segments()) {
            assertThat(segment.firstIndex()).isEqualTo(index);
            for (int i = 0; i < segment.size(); i++) {
                assertThat(segment.messageId(i)).isNotNull();
                assertThat(segment.type(i)).isNotNull();
                assertThat(OutgoingMessage.isAddressLength(segment.clientAddress(i).length))
                        .isTrue();
                assertThat(segment.userId(i)).hasSizeLessThanOrEqualTo(255);
                assertThat(segment.json(i)).hasSizeGreaterThanOrEqualTo(2);
            }
            index += segment.size();
        }
    }
}
