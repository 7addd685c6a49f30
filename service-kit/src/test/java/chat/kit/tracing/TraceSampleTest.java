package chat.kit.tracing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TraceSampleTest {
    private static final int IDS = 200_000;

    /** Returns the UUIDv7s of a few seconds: their times hardly differ. */
    private static int included(TraceSample sample) {
        SplittableRandom random = new SplittableRandom(7);
        int included = 0;
        for (int i = 0; i < IDS; i++) {
            long high = (1_795_222_910_960L + i / 20) << 16 | 0x7000 | random.nextInt(0x1000);
            long low = random.nextLong() >>> 2 | 1L << 63;
            if (sample.includes(high, low)) included++;
        }
        return included;
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.001, 0.1, 0.5, 0.9})
    void tracedShareMatchesTheProbability(double probability) {
        double expected = IDS * probability;
        assertThat((double) included(new TraceSample(probability)))
                .isCloseTo(expected, within(5 * Math.sqrt(expected)));
    }

    @Test
    void noneAndAllAreExact() {
        assertThat(included(new TraceSample(0))).isZero();
        assertThat(included(new TraceSample(1))).isEqualTo(IDS);
    }

    @Test
    void largerShareIncludesTheSmallerOne() {
        TraceSample small = new TraceSample(0.1);
        TraceSample large = new TraceSample(0.2);
        for (long id = 0; id < 10_000; id++)
            if (small.includes(id, ~id)) assertThat(large.includes(id, ~id)).isTrue();
    }

    @Test
    void invalidProbabilityIsRejected() {
        assertThatThrownBy(() -> new TraceSample(1.1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new TraceSample(Double.NaN)).isInstanceOf(IllegalArgumentException.class);
    }
}
