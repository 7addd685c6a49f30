package chat.persistence.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class BackoffTest {
    private static final Backoff.Settings SETTINGS =
            new Backoff.Settings(Duration.ofMillis(100), Duration.ofSeconds(5));

    @Test
    void waitsTwiceAsLongEachTimeUpToTheBound() {
        Backoff backoff = new Backoff(SETTINGS, () -> 0);
        for (int millis : new int[] {100, 200, 400, 800, 1600, 3200, 5000, 5000, 5000})
            assertThat(backoff.next()).isEqualTo(Duration.ofMillis(millis));
    }

    @Test
    void chanceAddsUpToAQuarter() {
        Backoff backoff = new Backoff(SETTINGS, () -> 0.8);
        assertThat(backoff.next()).isEqualTo(Duration.ofMillis(120));
        assertThat(backoff.next()).isEqualTo(Duration.ofMillis(240));
    }

    @Test
    void successBeginsAnew() {
        Backoff backoff = new Backoff(SETTINGS, () -> 0);
        Duration first = backoff.next();
        assertThat(backoff.next()).isGreaterThan(first);
        backoff.reset();
        assertThat(backoff.next()).isEqualTo(first);
    }

    @Test
    void invalidSettingsAreRejected() {
        assertThatThrownBy(() -> new Backoff.Settings(Duration.ofSeconds(6), Duration.ofSeconds(5)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Backoff.Settings(Duration.ZERO, Duration.ofSeconds(5)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
