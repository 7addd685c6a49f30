package chat.persistence.rollup;

import chat.persistence.BrokenDataSource;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Clock;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class RollupsTest {
    @Test
    void countingContinuesAfterAnyFault() {
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        Rollups rollups = new Rollups(
                BrokenDataSource.of(new OutOfMemoryError("by a test")),
                new RollupSettings(Duration.ofMillis(100), Duration.ofHours(1)),
                meters,
                Clock.systemUTC());
        rollups.start();
        try {
            Awaitility.await()
                    .until(() -> meters.counter("persistence.rollup.failures").count() > 2);
        } finally {
            rollups.stop();
        }
    }
}
