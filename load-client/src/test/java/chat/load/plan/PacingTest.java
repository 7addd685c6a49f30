package chat.load.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PacingTest {
    private static final long SECOND = 1_000_000_000;

    @Test
    void aWindowPermitsWhatIsDoneAndItsSizeMoreAtAnyTime() {
        Pacing window = new Pacing.Window(3);
        assertThat(window.permitted(0, 0)).isEqualTo(3);
        assertThat(window.permitted(SECOND, 0)).isEqualTo(3);
        assertThat(window.permitted(0, 10)).isEqualTo(13);
    }

    @Test
    void aRatePermitsByTimeWhateverIsDone() {
        Pacing rate = new Pacing.Rate(10);
        assertThat(rate.permitted(-1, 0)).isZero();
        assertThat(rate.permitted(0, 0)).isEqualTo(1);
        assertThat(rate.permitted(SECOND / 10 - 1, 0)).isEqualTo(1);
        assertThat(rate.permitted(SECOND / 10, 0)).isEqualTo(2);
        assertThat(rate.permitted(SECOND, 0)).isEqualTo(11);
        assertThat(rate.permitted(SECOND, 5)).isEqualTo(11);
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.5, 1, 3, 1000, 7777.7})
    void eachIsPermittedWhenItIsDueAndNotBefore(double perSecond) {
        Pacing.Rate rate = new Pacing.Rate(perSecond);
        for (long i = 1; i < 10_000; i++) {
            assertThat(rate.permitted(rate.dueNanos(i) + 1, 0)).isEqualTo(i + 1);
            assertThat(rate.permitted(rate.dueNanos(i) - 2, 0)).isEqualTo(i);
        }
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.001, 1, 3, 1e6, 1e9})
    void timesNeverGoBackAndBeginAtOnce(double perSecond) {
        Pacing.Rate rate = new Pacing.Rate(perSecond);
        assertThat(rate.dueNanos(0)).isZero();
        long last = 0;
        for (long i = 1; i < 10_000; i++) {
            assertThat(rate.dueNanos(i)).isGreaterThan(last);
            last = rate.dueNanos(i);
        }
    }

    @Test
    void aRateKeepsItsPaceForDays() {
        Pacing.Rate rate = new Pacing.Rate(1_000);
        long aDay = 86_400_000;
        assertThat(rate.dueNanos(3 * aDay)).isEqualTo(3 * 86_400 * SECOND);
        assertThat(rate.dueNanos(3 * aDay + 1) - rate.dueNanos(3 * aDay)).isEqualTo(SECOND / 1000);
    }

    @Test
    void nonsenseIsRefused() {
        assertThatThrownBy(() -> new Pacing.Window(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Pacing.Rate(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Pacing.Rate(Double.NaN)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Pacing.Rate(-1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Pacing.Rate(1e9 + 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Pacing.Rate(Double.POSITIVE_INFINITY))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Backoff(0, 10)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Backoff(10, 9)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void backoffDoublesItsCeilingUpToTheCap() {
        Backoff backoff = new Backoff(100, 1000);
        double almostOne = Math.nextDown(1.0);
        assertThat(backoff.delayMillis(0, 0)).isZero();
        assertThat(backoff.delayMillis(0, almostOne)).isEqualTo(99);
        assertThat(backoff.delayMillis(2, 0.5)).isEqualTo(200);
        assertThat(backoff.delayMillis(4, almostOne)).isEqualTo(999);
        for (int attempt = 4; attempt < 100; attempt++)
            assertThat(backoff.delayMillis(attempt, almostOne))
                    .as("attempt %d", attempt)
                    .isEqualTo(999);
    }
}
