package chat.server.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class UserSocketsTest {
    private static final Duration RETRY_AFTER = Duration.ofSeconds(5);

    @Test
    void socketLimitIsPerUser() {
        UserSockets sockets = new UserSockets(2, RETRY_AFTER);
        assertThat(sockets.tryAcquire("1")).isTrue();
        assertThat(sockets.check("1")).isNull();
        assertThat(sockets.tryAcquire("1")).isTrue();
        assertThat(sockets.check("1"))
                .isEqualTo(Rejection.tooMany(RETRY_AFTER, "user-sockets")
                        .with("a user may hold 2 sockets on a server (CHAT_SERVER_USERLIMITS_SOCKETS)"));
        assertThat(sockets.tryAcquire("1")).isFalse();
        assertThat(sockets.check("2")).isNull();
        assertThat(sockets.tryAcquire("2")).isTrue();
        sockets.release("1");
        assertThat(sockets.check("1")).isNull();
    }

    @Test
    void userWithoutSocketsUsesNoMemory() {
        UserSockets sockets = new UserSockets(2, RETRY_AFTER);
        sockets.tryAcquire("1");
        sockets.tryAcquire("1");
        assertThat(sockets.users()).isEqualTo(1);
        sockets.release("1");
        sockets.release("1");
        assertThat(sockets.users()).isZero();
    }

    @Test
    void zeroIsNoLimit() {
        UserSockets sockets = new UserSockets(0, RETRY_AFTER);
        for (int i = 0; i < 1_000; i++) assertThat(sockets.tryAcquire("1")).isTrue();
        assertThat(sockets.check("1")).isNull();
    }

    @Test
    void invalidLimitsAreRejectedByName() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new UserLimits(-1, 0, 0))
                .withMessage("sockets must be 1 to 100000, or 0 for no limit, not -1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new UserLimits(1, 60_001, 0))
                .withMessageContaining("new-rooms-per-minute");
    }
}
