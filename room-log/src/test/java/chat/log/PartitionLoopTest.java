package chat.log;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.Test;

class PartitionLoopTest {
    /** To describe itself a pool waits for its lock, which an event loop must not. */
    @Test
    void onceEndedItRefusesStepsByItsNameAndDoesNotDescribeItself() {
        try (ScheduledExecutorService loop = PartitionLoop.named("partition-7")) {
            loop.shutdown();
            assertThatExceptionOfType(RejectedExecutionException.class)
                    .isThrownBy(() -> loop.execute(() -> {}))
                    .withMessage("partition-7 has ended");
        }
    }
}
