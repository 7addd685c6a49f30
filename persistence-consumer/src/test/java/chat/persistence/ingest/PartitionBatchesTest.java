package chat.persistence.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import chat.persistence.batch.Batch;
import chat.persistence.batch.BatchSettings;
import chat.persistence.batch.EntryRows;
import chat.persistence.batch.Mark;
import chat.persistence.batch.MessageRow;
import chat.protocol.MessageType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** When a partition passes its batches on, by a clock that is stepped from timer to timer. */
class PartitionBatchesTest {
    private static final Duration FLUSH = Duration.ofMillis(500);

    private long now = Long.MAX_VALUE - Duration.ofMillis(200).toNanos(); // it may wrap around
    private final long start = now;
    private final PriorityQueue<Timer> timers =
            new PriorityQueue<>(Comparator.comparingLong(timer -> timer.at() - start));
    private final List<Passed> passed = new ArrayList<>();
    private final PartitionBatches batches = new PartitionBatches(
            0,
            new BatchSettings(1000, FLUSH, Duration.ofSeconds(10)),
            (step, delay) -> timers.add(new Timer(now + delay.toNanos(), step)),
            () -> now,
            null,
            batch -> passed.add(new Passed(sinceStart(), batch.messages(), batch.cause())));
    private int entries;

    private record Timer(long at, Runnable step) {}

    private record Passed(Duration at, int messages, Batch.Cause cause) {}

    private Duration sinceStart() {
        return Duration.ofNanos(now - start);
    }

    private void advanceTo(Duration time) {
        long end = start + time.toNanos();
        Timer next;
        while ((next = timers.peek()) != null && next.at() - end <= 0) {
            timers.remove();
            now = next.at();
            next.step().run();
        }
        now = end;
    }

    private void read(int messages) {
        List<MessageRow> rows = new ArrayList<>();
        for (int i = 0; i < messages; i++)
            rows.add(new MessageRow(
                    UUID.randomUUID(), "7", "42", "alice42", MessageType.TEXT, "hi", 1, 1, "s", null, new byte[0]));
        int offset = entries++;
        batches.add(new EntryRows(rows, List.of(), new Mark(offset * 2048L + 2047, 0, offset, 1, offset + 1)));
        batches.flushIfDue();
    }

    @Test
    void tenMessagesArePassedOnWhenTheFirstHasWaitedForTheFlushTime() {
        for (int i = 0; i < 10; i++) {
            advanceTo(Duration.ofMillis(40L * i));
            read(1);
        }
        advanceTo(Duration.ofSeconds(5));
        assertThat(passed).containsExactly(new Passed(FLUSH, 10, Batch.Cause.TIME));
    }

    @Test
    void timerOfAnEarlierBatchDoesNotDelayTheNext() {
        read(1);
        advanceTo(Duration.ofMillis(100));
        read(1000);
        advanceTo(Duration.ofMillis(300));
        read(10);
        advanceTo(Duration.ofSeconds(5));
        assertThat(passed)
                .containsExactly(
                        new Passed(Duration.ofMillis(100), 1001, Batch.Cause.SIZE),
                        new Passed(Duration.ofMillis(800), 10, Batch.Cause.TIME));
    }

    @Test
    void timerOfAPositionDoesNotDelayMessages() {
        read(0);
        advanceTo(Duration.ofMillis(300));
        read(10);
        advanceTo(Duration.ofSeconds(5));
        assertThat(passed).containsExactly(new Passed(Duration.ofMillis(800), 10, Batch.Cause.TIME));
    }
}
