package chat.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class QueueingDelayTest {
    private static final long MILLI = 1_000_000;
    private static final long MAX = 16 * MILLI;

    private final QueueingDelay queueing = new QueueingDelay(MAX, 0);
    private long now;

    @Test
    void constantTimesGiveNoDelay() {
        assertThat(queueing.nanos(now)).as("no observation").isZero();
        took(5 * MILLI, 10);
        assertThat(queueing.nanos(now)).isLessThan(MILLI / 10);
    }

    @Test
    void timeAboveTheShortestIsDelay() {
        took(MILLI, 1);
        took(4 * MILLI, 50);
        assertThat(queueing.nanos(now)).isBetween(29 * MILLI / 10, 3 * MILLI);

        took(MILLI, 50);
        assertThat(queueing.nanos(now)).as("the queue has drained").isLessThan(MILLI / 10);
    }

    @Test
    void firstEntryIsTheMeasure() {
        took(MILLI, 1);
        took(6 * MILLI, 1);
        assertThat(queueing.nanos(now)).isBetween(9 * MILLI / 10, MILLI);
    }

    @Test
    void singleSlowEntryHasLittleEffect() {
        took(MILLI, 50);
        took(6 * MILLI, 1);
        assertThat(queueing.nanos(now)).isBetween(9 * MILLI / 10, MILLI);
    }

    @Test
    void pausedLogCountsUpToTheLimit() {
        took(MILLI, 1);
        took(TimeUnit.MINUTES.toNanos(1), 100);
        assertThat(queueing.nanos(now)).isBetween(MAX - MILLI, MAX);
        took(MILLI, 20);
        assertThat(queueing.nanos(now)).isLessThan(MILLI);
    }

    @Test
    void permanentlyLongerTimeBecomesTheNewMinimum() {
        took(MILLI, 1);
        took(5 * MILLI, 10_000);
        assertThat(queueing.nanos(now)).isLessThan(MILLI / 10);
    }

    @Test
    void observationsExpireAfterOneSecond() {
        took(MILLI, 1);
        took(5 * MILLI, 50);
        now += TimeUnit.SECONDS.toNanos(1);
        assertThat(queueing.nanos(now)).isZero();

        took(2 * MILLI, 1);
        assertThat(queueing.nanos(now)).as("starts again").isBetween(MILLI / 10, 2 * MILLI / 10);
    }

    private void took(long nanos, int times) {
        for (int i = 0; i < times; i++) {
            now += MILLI;
            queueing.took(nanos, now);
        }
    }
}
