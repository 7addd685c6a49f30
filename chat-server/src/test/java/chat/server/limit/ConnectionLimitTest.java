package chat.server.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ConnectionLimitTest {
    @Test
    void aPlaceGivenBackIsTakenAgain() {
        ConnectionLimit limit = new ConnectionLimit(2);
        assertThat(limit.tryAcquire()).isTrue();
        assertThat(limit.tryAcquire()).isTrue();
        assertThat(limit.tryAcquire()).isFalse();
        assertThat(limit.current()).isEqualTo(2);
        limit.release();
        assertThat(limit.tryAcquire()).isTrue();
    }

    @Test
    void neverMoreThanTheLimitWhoeverAsksAtOnce() {
        ConnectionLimit limit = new ConnectionLimit(100);
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
    void nobodyAtAllIsNoLimit() {
        assertThatIllegalArgumentException().isThrownBy(() -> new ConnectionLimit(0));
    }
}
