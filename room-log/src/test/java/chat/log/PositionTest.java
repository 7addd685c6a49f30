package chat.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;

class PositionTest {
    private static final long EPOCH = 1_763_632_800_000_000L;

    @Test
    void positionsFollowTheOrderOfOffsetsAndIndexes() {
        assertThat(Position.of(EPOCH, 5, 1)).isGreaterThan(Position.of(EPOCH, 5, 0));
        assertThat(Position.of(EPOCH, 6, 0)).isEqualTo(Position.of(EPOCH, 5, 2047) + 1);
    }

    @Test
    void offsetIsDerivedFromAPosition() {
        assertThat(Position.offset(Position.of(EPOCH, 17, 2047), EPOCH)).isEqualTo(17);
        assertThat(Position.offset(Position.of(EPOCH, 0, 0), EPOCH)).isZero();
        assertThat(Position.offset(Position.of(EPOCH - 10, 3, 0), EPOCH)).isNegative();
    }

    @Test
    void logStartedASecondLaterIsAboveAMillionEntries() {
        assertThat(Position.of(EPOCH + 1_000_000, 0, 0)).isGreaterThan(Position.of(EPOCH, 999_999, 2047));
    }

    @Test
    void positionsAreNotNegativeUntil2112() {
        long epoch = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.parse("2077-01-01T00:00:00Z"));
        assertThat(epoch).isLessThan(Position.MAX_EPOCH);
        assertThat(Position.of(Position.MAX_EPOCH, 1L << 39, 2047)).isPositive();
    }
}
