package chat.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PartitionLoopTest {
    /** A pool waits for its lock to describe itself, which must not block an event loop. */
    @Test
    void stepsAfterShutdownAreRejectedWithTheName() {
        try (ScheduledExecutorService loop = PartitionLoop.named("partition-7")) {
            loop.shutdown();
            assertThatExceptionOfType(RejectedExecutionException.class)
                    .isThrownBy(() -> loop.execute(() -> {}))
                    .withMessage("partition-7 has shut down");
        }
    }

    @Test
    void failedRepeatedStepRunsAgain() throws Exception {
        CountDownLatch thrice = new CountDownLatch(3);
        try (ScheduledExecutorService loop = PartitionLoop.named("failing")) {
            loop.scheduleWithFixedDelay(() -> failing(thrice), 1, 1, TimeUnit.MILLISECONDS);
            assertThat(thrice.await(30, TimeUnit.SECONDS)).isTrue();
            CountDownLatch again = new CountDownLatch(3);
            loop.scheduleAtFixedRate(() -> failing(again), 1, 1, TimeUnit.MILLISECONDS);
            assertThat(again.await(30, TimeUnit.SECONDS)).isTrue();
            loop.shutdownNow();
        }
    }

    private static void failing(CountDownLatch times) {
        times.countDown();
        throw new IllegalStateException("as meant");
    }
}
