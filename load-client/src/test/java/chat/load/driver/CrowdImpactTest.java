package chat.load.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;

import chat.load.plan.Crowd;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class CrowdImpactTest {
    private static final Crowd CROWD =
            new Crowd(10, Duration.ofSeconds(6), Duration.ofSeconds(4), 0.8, Duration.ofSeconds(3));

    /** Messages accepted in each second. */
    private static SecondCounts seconds(int... accepted) {
        AtomicLong counter = new AtomicLong();
        SecondCounts counts = new SecondCounts(counter::get);
        long now = -3;
        counts.note(now);
        for (int one : accepted) {
            counter.addAndGet(one);
            now += TimeUnit.SECONDS.toNanos(1);
            counts.note(now);
        }
        return counts;
    }

    @Test
    void meanwhileIsComparedWithBeforeButForTheFirstThird() {
        CrowdImpact impact = CrowdImpact.of(CROWD, seconds(1, 1, 100, 100, 100, 100, 90, 90, 70, 70, 95, 95, 95, 0));
        assertThat(impact.before()).isEqualTo(100);
        assertThat(impact.during()).isEqualTo(80);
        assertThat(impact.kept()).isEqualTo(0.8, offset(1e-9));
        assertThat(impact.recoveredSeconds()).isEqualTo(1);
    }

    @Test
    void theFirstSecondThatIsAsGoodAsBeforeIsTold() {
        assertThat(CrowdImpact.of(CROWD, seconds(1, 1, 100, 100, 100, 100, 5, 5, 5, 5, 20, 89, 90))
                        .recoveredSeconds())
                .isEqualTo(3);
    }

    @Test
    void oneThatComesTooLateDoesNotCount() {
        CrowdImpact impact = CrowdImpact.of(CROWD, seconds(1, 1, 100, 100, 100, 100, 5, 5, 5, 5, 20, 20, 20, 100));
        assertThat(impact.recoveredSeconds()).isEqualTo(-1);
        assertThat(impact.kept()).isEqualTo(0.05, offset(1e-9));
    }

    @Test
    void aRunThatEndedEarlyHasKeptNothing() {
        assertThat(CrowdImpact.of(CROWD, seconds()).kept()).isZero();
        assertThat(CrowdImpact.of(CROWD, seconds(1, 1, 100, 100, 100, 100)).kept())
                .isZero();
    }
}
