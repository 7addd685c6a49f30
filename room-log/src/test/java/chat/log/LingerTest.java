package chat.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LingerTest {
    private static final long MILLI = 1_000_000;
    private static final long MAX = 24 * MILLI;

    private final Linger linger = new Linger(MAX, 0);
    private long now;

    @Test
    void constantTimesGiveNoLinger() {
        assertThat(linger.nanos(now)).as("no observation").isZero();
        took(5 * MILLI, 10);
        assertThat(linger.nanos(now)).isLessThan(MILLI / 10);
    }

    @Test
    void timeAboveTheShortestCountsSeveralTimes() {
        took(MILLI, 1);
        took(4 * MILLI, 50);
        assertThat(linger.nanos(now)).isBetween(Linger.FACTOR * 29 * MILLI / 10, Linger.FACTOR * 3 * MILLI);

        took(MILLI, 50);
        assertThat(linger.nanos(now)).as("the queue has drained").isLessThan(MILLI / 10);
    }

    @Test
    void entriesKeepTheInterval() {
        took(MILLI, 1);
        took(2 * MILLI, 50);
        linger.published(now);
        long interval = linger.left(now);
        assertThat(interval).isEqualTo(linger.nanos(now)).isPositive();
        now += interval - 1;
        assertThat(linger.left(now)).isPositive();
        now++;
        assertThat(linger.left(now)).isNotPositive();
    }

    @Test
    void singleSlowEntryIsNoQueue() {
        took(MILLI, 50);
        took(6 * MILLI, 1);
        assertThat(linger.nanos(now)).isLessThan(MILLI / 10);
        took(6 * MILLI, 1);
        assertThat(linger.nanos(now)).as("two in succession").isGreaterThan(MILLI);
    }

    @Test
    void pausedLogCountsUpToTheLimit() {
        took(MILLI, 1);
        took(TimeUnit.MINUTES.toNanos(1), 100);
        assertThat(linger.nanos(now)).isEqualTo(MAX);
        took(MILLI, 40);
        assertThat(linger.nanos(now)).isLessThan(MILLI);
    }

    @Test
    void permanentlyLongerTimeBecomesTheNewMinimum() {
        took(MILLI, 1);
        took(5 * MILLI, 10_000);
        assertThat(linger.nanos(now)).isLessThan(MILLI / 10);
    }

    @Test
    void observationsExpireAfterOneSecond() {
        took(MILLI, 1);
        took(5 * MILLI, 50);
        now += TimeUnit.SECONDS.toNanos(1);
        assertThat(linger.nanos(now)).isZero();
    }

    @Test
    void limitOfZeroNeverWaits() {
        Linger none = new Linger(0, 0);
        none.readBack(MILLI, 0);
        none.readBack(9 * MILLI, 0);
        none.published(0);
        assertThat(none.left(0)).isNotPositive();
    }

    private void took(long nanos, int times) {
        for (int i = 0; i < times; i++) linger.readBack(nanos, now);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void serversWithSpareTimeHardlyLinger(int servers) {
        LoadSimulation simulation = new LoadSimulation(servers, 0);
        assertThat(simulation.offer(50, 4).lingerMillis()).isLessThan(0.05);
        assertThat(simulation.offer(500, 4).lingerMillis()).isLessThan(0.2);
        assertThat(simulation.offer(2_000, 4).p50Millis()).isLessThan(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void busyServersCarryTwentyTimesTheLoadInFewerEntries(int servers) {
        LoadSimulation simulation = new LoadSimulation(servers, 0);
        LoadSimulation.Result some = simulation.offer(3_000, 4);
        LoadSimulation.Result much = simulation.offer(60_000, 4);
        assertThat(much.entriesPerSecond()).isLessThan(some.entriesPerSecond());
        assertThat(much.p99Millis()).isLessThan(25);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void lingerFollowsStepsOfTheLoadWithoutOscillating(int servers) {
        LoadSimulation simulation = new LoadSimulation(servers, 0);
        LoadSimulation.Result before = simulation.offer(5_000, 4);
        LoadSimulation.Result step = simulation.offer(40_000, 4);
        LoadSimulation.Result after = simulation.offer(5_000, 4);
        assertThat(step.lingerMillis()).isGreaterThan(before.lingerMillis());
        assertThat(step.lingerSpread()).isLessThan(step.lingerMillis() / 2);
        assertThat(after.p50Millis()).isBetween(before.p50Millis() * 0.8, before.p50Millis() * 1.25);
    }

    @Test
    void slowBrokerIsNotLoad() {
        LoadSimulation simulation = new LoadSimulation(1, 10);
        assertThat(simulation.offer(500, 4).lingerMillis()).isLessThan(0.2);
        assertThat(simulation.offer(5_000, 4).lingerMillis()).isLessThan(3);
    }
}
