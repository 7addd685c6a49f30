package chat.persistence.store;

import static org.assertj.core.api.Assertions.assertThat;

import chat.persistence.BrokenDataSource;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Clock;
import org.junit.jupiter.api.Test;

class MaintenanceTest {
    @Test
    void noFaultIsTheLastAttempt() {
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        Maintenance maintenance = new Maintenance(
                BrokenDataSource.of(new OutOfMemoryError("by a test")),
                new StoreProperties(0, 30),
                meters,
                Clock.systemUTC());
        maintenance.run();
        maintenance.run();
        assertThat(meters.counter("persistence.maintenance.failures").count()).isEqualTo(2);
    }
}
