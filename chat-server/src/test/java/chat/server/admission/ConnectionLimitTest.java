package chat.server.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ConnectionLimitTest {
    private static final Duration RETRY_AFTER = Duration.ofSeconds(5);
    private static final HandshakeRequest ANYBODY = new HandshakeRequest(null, name -> null);

    @Test
    void releasedSlotIsReused() {
        ConnectionLimit limit = new ConnectionLimit(2, RETRY_AFTER);
        assertThat(limit.tryAcquire()).isTrue();
        assertThat(limit.tryAcquire()).isTrue();
        assertThat(limit.tryAcquire()).isFalse();
        assertThat(limit.current()).isEqualTo(2);
        limit.release();
        assertThat(limit.tryAcquire()).isTrue();
    }

    @Test
    void concurrentAcquisitionsNeverExceedTheLimit() {
        ConnectionLimit limit = new ConnectionLimit(100, RETRY_AFTER);
        AtomicInteger taken = new AtomicInteger();
        try (ExecutorService many = Executors.newFixedThreadPool(8)) {
            for (int i = 0; i < 1000; i++)
                many.execute(() -> {
                    if (limit.tryAcquire()) taken.incrementAndGet();
                });
        }
        assertThat(taken).hasValue(100);
    }

    @Test
    void fullServerRejectsUntilASlotIsFree() {
        ConnectionLimit limit = new ConnectionLimit(1, RETRY_AFTER);
        assertThat(limit.check(ANYBODY)).isNull();
        assertThat(limit.tryAcquire()).isTrue();
        assertThat(limit.check(ANYBODY)).isEqualTo(Rejection.unavailable(RETRY_AFTER, ConnectionLimit.FULL));
        limit.release();
        assertThat(limit.check(ANYBODY)).isNull();
    }

    @Test
    void limitOfZeroIsRejected() {
        assertThatIllegalArgumentException().isThrownBy(() -> new ConnectionLimit(0, RETRY_AFTER));
    }
}
