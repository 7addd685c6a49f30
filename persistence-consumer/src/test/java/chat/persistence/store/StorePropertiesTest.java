package chat.persistence.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StorePropertiesTest {
    @ParameterizedTest
    @CsvSource({
        "names, 999, 3, 0, 30, 1h",
        "names, 10000001, 3, 0, 30, 1h",
        "months-ahead, 1000, 0, 0, 30, 1h",
        "months-ahead, 1000, 25, 0, 30, 1h",
        "keep, 1000, 3, 30, 30, 1h",
        "keep, 1000, 3, -1, 30, 1h",
        "keep, 1000, 3, 36501, 30, 1h",
        "keep-dead-letters, 1000, 3, 0, 0, 1h",
        "keep-dead-letters, 1000, 3, 0, 3651, 1h",
        "maintenance, 1000, 3, 0, 30, 59s",
        "maintenance, 1000, 3, 0, 30, 25h"
    })
    void aValueOutOfBoundsIsRefusedByName(
            String name, int names, int ahead, int keep, int letters, String maintenance) {
        Duration interval = Duration.parse("PT" + maintenance);
        assertThatThrownBy(() -> new StoreProperties(names, ahead, keep, letters, interval))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("chat.store." + name);
    }

    @Test
    void theBoundsThemselvesAreAllowed() {
        assertThat(new StoreProperties(1_000, 1, 31, 1, Duration.ofMinutes(1)).keep())
                .isEqualTo(31);
        assertThat(new StoreProperties(10_000_000, 24, 36_500, 3_650, Duration.ofDays(1)).keep())
                .isEqualTo(36_500);
    }

    @ParameterizedTest
    @CsvSource({"0, 2s", "1001, 2s", "5, 0s", "5, 301s"})
    void aBreakerOutOfBoundsIsRefused(int failures, String open) {
        Duration wait = Duration.parse("PT" + open);
        assertThatThrownBy(() -> new BreakerProperties(failures, wait)).hasMessageContaining("chat.store.breaker.");
    }
}
