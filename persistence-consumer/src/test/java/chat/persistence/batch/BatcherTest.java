package chat.persistence.batch;

import static chat.persistence.batch.Rows.entry;
import static chat.persistence.batch.Rows.mark;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import chat.persistence.batch.Batch.Cause;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class BatcherTest {
    private static final BatchSettings SETTINGS =
            new BatchSettings(1000, Duration.ofMillis(500), Duration.ofSeconds(10));

    private long now = 42;
    private final Batcher batcher = new Batcher(0, SETTINGS, () -> now);

    private void pass(long millis) {
        now += Duration.ofMillis(millis).toNanos();
    }

    @Test
    void sizeClosesABatchAtOnce() {
        batcher.add(entry(0, 0, 999));
        assertThat(batcher.due()).isNull();
        batcher.add(entry(1, 999, 1000));
        assertThat(batcher.due()).isEqualTo(Cause.SIZE);
        assertThat(batcher.nanosUntilDue()).isZero();
    }

    @Test
    void ageClosesABatchThatIsNotFull() {
        batcher.add(entry(0, 0, 1));
        pass(400);
        batcher.add(entry(1, 1, 2));
        assertThat(batcher.nanosUntilDue()).isEqualTo(Duration.ofMillis(100).toNanos());
        pass(99);
        assertThat(batcher.due()).isNull();
        pass(1);
        assertThat(batcher.due()).isEqualTo(Cause.TIME);
    }

    @Test
    void ageCountsFromTheOldestOfTheNewBatch() {
        batcher.add(entry(0, 0, 1));
        pass(500);
        Batch unused = batcher.take(Cause.TIME);
        pass(300);
        batcher.add(entry(1, 1, 2));
        pass(499);
        assertThat(batcher.due()).isNull();
        pass(1);
        assertThat(batcher.due()).isEqualTo(Cause.TIME);
    }

    @Test
    void entryIsNeverSplit() {
        batcher.add(entry(0, 0, 999));
        batcher.add(entry(1, 999, 999 + 2048));
        Batch batch = batcher.take(Cause.SIZE);
        assertThat(batch.messages()).isEqualTo(999 + 2048);
        assertThat(batch.end()).isEqualTo(mark(1));
        assertThat(batcher.messages()).isZero();
    }

    @Test
    void entryWithoutMessagesMovesThePositionRarely() {
        batcher.add(new EntryRows(List.of(), List.of(), mark(0)));
        pass(9_999);
        assertThat(batcher.due()).isNull();
        pass(1);
        assertThat(batcher.due()).isEqualTo(Cause.POSITION);
        Batch batch = batcher.take(Cause.POSITION);
        assertThat(batch.rows()).isEmpty();
        assertThat(batch.end()).isEqualTo(mark(0));
        assertThat(batcher.nanosUntilDue()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void messageDoesNotWaitForThePosition() {
        batcher.add(new EntryRows(List.of(), List.of(), mark(0)));
        batcher.add(entry(1, 0, 1));
        pass(500);
        assertThat(batcher.due()).isEqualTo(Cause.TIME);
    }

    @Test
    void gapIsWrittenWithoutMessages() {
        batcher.add(new Gap("TRUNCATED", 1, 2));
        pass(500);
        assertThat(batcher.due()).isEqualTo(Cause.TIME);
        assertThat(batcher.take(Cause.TIME).gaps()).containsExactly(new Gap("TRUNCATED", 1, 2));
    }

    @Test
    void missingEntryKeepsThePosition() {
        batcher.add(entry(4, 0, 1));
        DeadLetter letter = new DeadLetter(null, 5 * 2048, null, null, "not an entry", null, null, new byte[1]);
        batcher.add(new EntryRows(List.of(), List.of(letter), null));
        Batch batch = batcher.take(Cause.TIME);
        assertThat(batch.end()).isEqualTo(mark(4));
        assertThat(batch.messages()).isEqualTo(2);
    }

    @Test
    void entryThatIsReadAgainDoesNotLowerThePosition() {
        batcher.add(new EntryRows(List.of(), List.of(), mark(100)));
        batcher.add(entry(95, 0, 1));
        assertThat(batcher.end()).isEqualTo(mark(100));
        assertThat(batcher.take(Cause.TIME).end()).isEqualTo(mark(100));
    }

    @Test
    void nothingIsDueWhereNothingWaits() {
        pass(100_000);
        assertThat(batcher.due()).isNull();
        assertThat(batcher.oldestTimestamp(-1)).isEqualTo(-1);
    }

    @Test
    void invalidSettingsAreRejected() {
        assertThatThrownBy(() -> new BatchSettings(0, Duration.ofMillis(500), Duration.ofSeconds(10)))
                .hasMessageContaining("1 to 100000");
        assertThatThrownBy(() -> new BatchSettings(1, Duration.ZERO, Duration.ofSeconds(10)))
                .hasMessageContaining("batch age");
        assertThatThrownBy(() -> new BatchSettings(1, Duration.ofMillis(500), Duration.ofHours(1)))
                .hasMessageContaining("position interval");
    }
}
