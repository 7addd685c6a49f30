package chat.server.room;

import static org.assertj.core.api.Assertions.assertThat;

import chat.log.LogSettings;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class FrameCoalescerTest {
    private static final long MILLI = 1_000_000;
    private static final long DISTANCE = 4 * MILLI;
    private static final long HERE = 1;
    private static final long THERE = 2;

    private final FrameCoalescer merge = new FrameCoalescer(DISTANCE);
    private long now;

    @Test
    void withoutLoadNothingWaits() {
        for (int i = 0; i < 10; i++) {
            read(HERE, 3);
            assertThat(merge.left(now, 0)).isNotPositive();
            flush();
        }
    }

    @Test
    void underLoadFramesKeepTheirDistance() {
        busy(HERE);
        now += MILLI;
        read(HERE, 1);
        assertThat(merge.left(now, 0)).isEqualTo(DISTANCE - MILLI);
        now += 3 * MILLI;
        assertThat(merge.left(now, 0)).isNotPositive();
    }

    @Test
    void loadBeginsWithTheSumOfMessagesInOneFrame() {
        read(HERE, LogSettings.BUSY_MESSAGES - 2);
        read(HERE, 1);
        flush();
        read(HERE, 1);
        assertThat(merge.left(now, 0)).isNotPositive();

        read(HERE, LogSettings.BUSY_MESSAGES - 1);
        flush();
        read(HERE, 1);
        assertThat(merge.left(now, 0)).isEqualTo(DISTANCE);
    }

    @Test
    void underLoadMessagesWaitForOtherWriters() {
        busy(HERE, THERE);
        now += 20 * MILLI;
        read(THERE, 5);
        assertThat(merge.isEveryWriterHeard()).isFalse();
        assertThat(merge.left(now, 0)).isEqualTo(DISTANCE);

        read(HERE, 5);
        assertThat(merge.isEveryWriterHeard()).isTrue();
        assertThat(merge.left(now, 0)).isNotPositive();
    }

    @Test
    void queueingDelayLengthensTheWait() {
        busy(HERE, THERE);
        read(HERE, 5);
        assertThat(merge.left(now, 3 * MILLI)).isEqualTo(DISTANCE + 6 * MILLI);
    }

    @Test
    void secondAfterTheLoadNothingWaits() {
        busy(HERE, THERE);
        read(HERE, 1);
        now += 1000 * MILLI - 1;
        assertThat(merge.left(now, 3 * MILLI)).isEqualTo(DISTANCE + 6 * MILLI);
        now++;
        assertThat(merge.left(now, 3 * MILLI)).isNotPositive();
    }

    @Test
    void silentWriterIsNotAwaited() {
        busy(HERE, THERE);
        for (int i = 0; i < 3; i++) {
            now += 20 * MILLI;
            read(HERE, 5);
            assertThat(merge.left(now, 0)).isEqualTo(DISTANCE);
            flush();
        }
        now += 20 * MILLI;
        read(HERE, 5);
        assertThat(merge.left(now, 0)).isNotPositive();
    }

    @Test
    void withoutDistanceNothingWaits() {
        FrameCoalescer none = new FrameCoalescer(Duration.ZERO.toNanos());
        for (long run : new long[] {HERE, THERE}) {
            none.read(run);
            none.add(100);
        }
        none.flushed(now);
        none.read(HERE);
        assertThat(none.left(now, 3 * MILLI)).isNotPositive();
    }

    /** Much is handed on that these servers wrote. */
    private void busy(long... runs) {
        for (long run : runs) read(run, 100);
        flush();
    }

    private void read(long run, int messages) {
        merge.read(run);
        merge.add(messages);
    }

    private void flush() {
        merge.flushed(now);
    }
}
