package chat.load.driver;

import static org.assertj.core.api.Assertions.assertThat;

import chat.load.plan.Backoff;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ReconnectDelayTest {
    private static final Ending GOING_AWAY = new Ending(4200, "server is stopping; reconnect now");
    private static final Ending SLOW = new Ending(4100, "reading too slowly; reconnect and resume");

    private final ReconnectDelay delay = new ReconnectDelay(new Backoff(1_000, 8_000), new AlmostOne());
    private long now = -ReconnectDelay.STABLE_NANOS; // as System.nanoTime: anything

    @Test
    void fromAGoodConnectionItComesBackAtOnceWhereItIsAskedTo() {
        wasGood();
        assertThat(delay.millisAfter(GOING_AWAY, now)).isZero();
        wasGood();
        assertThat(delay.millisAfter(GOING_AWAY, now)).isZero();
    }

    @Test
    void fromAGoodConnectionItComesBackAfterTheFirstWaitWhereItIsNotAskedTo() {
        wasGood();
        assertThat(delay.millisAfter(SLOW, now)).isEqualTo(999);
        wasGood();
        assertThat(delay.millisAfter(SLOW, now)).isEqualTo(999);
    }

    @Test
    void repeatedGoingAwayDoublesTheDelay() {
        wasGood();
        assertThat(delay.millisAfter(GOING_AWAY, now)).isZero();
        // Sent away without a WELCOME: that of the good connection, long ago, counts no more.
        assertThat(delay.millisAfter(GOING_AWAY, now)).isEqualTo(1_999);
        assertThat(delay.millisAfter(GOING_AWAY, now)).isEqualTo(3_999);
        assertThat(delay.millisAfter(GOING_AWAY, now)).isEqualTo(7_999);
        assertThat(delay.millisAfter(GOING_AWAY, now)).isEqualTo(7_999);
    }

    @Test
    void shortLivedConnectionDoesNotResetTheDelay() {
        assertThat(delay.millisAfter(SLOW, now)).isEqualTo(999);
        delay.welcomed(now);
        now += ReconnectDelay.STABLE_NANOS;
        assertThat(delay.millisAfter(SLOW, now)).isEqualTo(1_999);
        delay.welcomed(now);
        now += ReconnectDelay.STABLE_NANOS + 1;
        assertThat(delay.millisAfter(SLOW, now)).isEqualTo(999);
    }

    @Test
    void requestedDelayIsAdded() {
        assertThat(delay.millisAfter(new Ending(503, "full", 5_000), now)).isEqualTo(5_999);
    }

    private void wasGood() {
        delay.welcomed(now);
        now += 2 * ReconnectDelay.STABLE_NANOS;
    }

    private static final class AlmostOne extends Random {
        @Override
        public double nextDouble() {
            return Math.nextDown(1.0);
        }
    }
}
