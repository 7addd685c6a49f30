package chat.server.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class HandshakeLimitTest {
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    @Test
    void handshakeAboveTheLimitIsRejectedAndCounted() {
        HandshakeLimit limit = new HandshakeLimit(new HandshakeSettings(2, PATIENCE));
        assertThat(limit.tryAcquire()).isTrue();
        assertThat(limit.tryAcquire()).isTrue();
        assertThat(limit.tryAcquire()).isFalse();
        assertThat(limit.current()).isEqualTo(2);
        assertThat(limit.rejected.sum()).isEqualTo(1);
        limit.release();
        assertThat(limit.current()).isEqualTo(1);
        assertThat(limit.tryAcquire()).isTrue();
        assertThat(limit.rejected.sum()).isEqualTo(1);
    }

    @Test
    void zeroLimitAndNoTimeoutAreRejected() {
        assertThatIllegalArgumentException().isThrownBy(() -> new HandshakeSettings(0, PATIENCE));
        assertThatIllegalArgumentException().isThrownBy(() -> new HandshakeSettings(1, Duration.ZERO));
        assertThatIllegalArgumentException().isThrownBy(() -> new HandshakeSettings(1, Duration.ofMinutes(2)));
    }
}
