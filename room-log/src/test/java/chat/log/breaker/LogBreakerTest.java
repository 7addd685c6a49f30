package chat.log.breaker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import chat.log.breaker.LogBreaker.Permit;
import chat.log.breaker.LogBreaker.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class LogBreakerTest {
    private static final BreakerSettings SETTINGS =
            new BreakerSettings(5, Duration.ofSeconds(2), 3, Duration.ofSeconds(1));

    private long now = 42;
    private final LogBreaker breaker = new LogBreaker(SETTINGS, () -> now);
    private final List<State> changes = new ArrayList<>();

    LogBreakerTest() {
        breaker.onChange(() -> changes.add(breaker.state()));
    }

    private void pass(Duration time) {
        now += time.toNanos();
    }

    private void fail(int times) {
        for (int i = 0; i < times; i++) breaker.failed("on purpose");
    }

    private void open() {
        fail(SETTINGS.failures());
    }

    private void halfOpen() {
        open();
        pass(SETTINGS.open());
        assertThat(breaker.stateOfReachableLog()).isEqualTo(State.HALF_OPEN);
    }

    private Permit acquire() {
        return Objects.requireNonNull(breaker.tryAcquire(), "nothing is let through");
    }

    private List<Permit> acquire(int count) {
        List<Permit> permits = new ArrayList<>();
        for (int i = 0; i < count; i++) permits.add(acquire());
        return permits;
    }

    @Test
    void onlyConsecutiveFailuresOpenIt() {
        Permit permit = acquire();
        fail(4);
        breaker.succeeded(permit);
        fail(4);
        assertThat(breaker.stateOfReachableLog()).isEqualTo(State.CLOSED);
        acquire();

        fail(1);

        assertThat(breaker.stateOfReachableLog()).isEqualTo(State.OPEN);
        assertThat(breaker.tryAcquire()).isNull();
        assertThat(changes).containsExactly(State.OPEN);
        assertThat(breaker.opened()).isEqualTo(1);
        assertThat(breaker.failures()).isEqualTo(9);
        assertThat(breaker.notPermitted()).isEqualTo(1);
    }

    @Test
    void openBreakerReportsItsRemainingTime() {
        assertThat(breaker.remainingWait()).isZero();
        open();
        pass(Duration.ofMillis(500));
        assertThat(breaker.remainingWait()).isEqualTo(Duration.ofMillis(1500));

        fail(10);

        assertThat(breaker.remainingWait())
                .as("further failures do not restart the wait")
                .isEqualTo(Duration.ofMillis(1500));
        pass(Duration.ofMillis(1499));
        assertThat(breaker.stateOfReachableLog()).isEqualTo(State.OPEN);
        pass(Duration.ofMillis(1));
        assertThat(breaker.remainingWait()).isZero();
        assertThat(breaker.state()).as("before the log is found reachable").isEqualTo(State.OPEN);
        assertThat(breaker.stateOfReachableLog()).isEqualTo(State.HALF_OPEN);
        assertThat(changes).containsExactly(State.OPEN, State.HALF_OPEN);
    }

    @Test
    void halfOpenBreakerClosesWhenAllProbesAreConfirmed() {
        halfOpen();
        List<Permit> probes = acquire(SETTINGS.probes());
        assertThat(breaker.tryAcquire()).isNull();

        breaker.succeeded(probes.get(0));
        breaker.succeeded(probes.get(1));
        assertThat(breaker.state()).isEqualTo(State.HALF_OPEN);
        breaker.succeeded(probes.get(2));

        assertThat(breaker.state()).isEqualTo(State.CLOSED);
        assertThat(changes).containsExactly(State.OPEN, State.HALF_OPEN, State.CLOSED);
        acquire();
    }

    @Test
    void failureWhileHalfOpenOpensItForTheFullTime() {
        halfOpen();
        breaker.succeeded(acquire());
        breaker.succeeded(acquire());

        fail(1);

        assertThat(breaker.state()).isEqualTo(State.OPEN);
        assertThat(breaker.remainingWait()).isEqualTo(SETTINGS.open());
        assertThat(breaker.opened()).isEqualTo(2);
    }

    @Test
    void unansweredProbesOpenItAgain() {
        halfOpen();
        pass(Duration.ofMinutes(1));
        assertThat(breaker.stateOfReachableLog()).as("not probed yet").isEqualTo(State.HALF_OPEN);
        acquire();
        pass(SETTINGS.probeTimeout());
        assertThat(breaker.stateOfReachableLog()).isEqualTo(State.HALF_OPEN);

        pass(Duration.ofMillis(1));

        assertThat(breaker.stateOfReachableLog()).isEqualTo(State.OPEN);
        assertThat(breaker.remainingWait()).isEqualTo(SETTINGS.open());
    }

    @Test
    void releasedProbeMayBeRepeated() {
        halfOpen();
        List<Permit> probes = acquire(SETTINGS.probes());
        assertThat(breaker.tryAcquire()).isNull();

        breaker.released(probes.getFirst());

        acquire();
    }

    @Test
    void lateConfirmsOfEarlierEntriesCloseIt() {
        List<Permit> before = acquire(SETTINGS.probes());
        halfOpen();

        before.forEach(breaker::succeeded);

        assertThat(breaker.state()).isEqualTo(State.CLOSED);
    }

    @Test
    void eachAnswerRestartsTheProbeTimeout() {
        halfOpen();
        for (int i = 1; i < SETTINGS.probes(); i++) {
            Permit probe = acquire();
            pass(SETTINGS.probeTimeout());
            breaker.succeeded(probe);
        }
        pass(Duration.ofMinutes(1));

        assertThat(breaker.stateOfReachableLog()).as("nothing to probe with").isEqualTo(State.HALF_OPEN);
        breaker.succeeded(acquire());
        assertThat(breaker.state()).isEqualTo(State.CLOSED);
    }

    @Test
    void releasedEarlierEntryDoesNotAnswerAProbe() {
        Permit before = acquire();
        halfOpen();
        acquire();
        pass(SETTINGS.probeTimeout());
        breaker.released(before);

        pass(Duration.ofMillis(1));

        assertThat(breaker.stateOfReachableLog()).isEqualTo(State.OPEN);
    }

    @Test
    void probeTimeoutPausesWhileTheLogIsUnreachable() {
        halfOpen();
        acquire();
        pass(Duration.ofMinutes(1));
        breaker.pause();

        assertThat(breaker.stateOfReachableLog()).isEqualTo(State.HALF_OPEN);
        pass(SETTINGS.probeTimeout().plusMillis(1));
        assertThat(breaker.stateOfReachableLog()).isEqualTo(State.OPEN);
    }

    @Test
    void lateSuccessesKeepItClosed() {
        List<Permit> many = acquire(100);
        pass(Duration.ofMinutes(10));

        many.forEach(breaker::succeeded);

        assertThat(breaker.state()).isEqualTo(State.CLOSED);
        assertThat(breaker.opened()).isZero();
    }

    @Test
    void invalidSettingsAreRejected() {
        Duration second = Duration.ofSeconds(1);
        assertThatIllegalArgumentException().isThrownBy(() -> new BreakerSettings(0, second, 1, second));
        assertThatIllegalArgumentException().isThrownBy(() -> new BreakerSettings(1, second, 0, second));
        assertThatIllegalArgumentException().isThrownBy(() -> new BreakerSettings(1, Duration.ZERO, 1, second));
        assertThatIllegalArgumentException().isThrownBy(() -> new BreakerSettings(1, second, 1, Duration.ZERO));
    }
}
