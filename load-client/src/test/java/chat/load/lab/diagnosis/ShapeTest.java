package chat.load.lab.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import chat.load.lab.diagnosis.Shape.Kind;
import java.util.Random;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShapeTest {
    private final Random random = new Random(7);

    @Test
    void steadyRateWithNoiseIsAPlateau() {
        Shape shape = Shape.of(rate(60, second -> 700_000 * (1 + 0.03 * random.nextGaussian())));
        assertThat(shape.kind()).isEqualTo(Kind.PLATEAU);
        assertThat(shape.mean()).isCloseTo(700_000, within(10_000.0));
        assertThat(shape.variation()).isBetween(0.01, 0.05);
        assertThat(shape.seconds()).isEqualTo(58);
    }

    @Test
    void constantRateIsAPlateau() {
        assertThat(Shape.of(rate(30, second -> 5))).isEqualTo(new Shape(Kind.PLATEAU, 28, 5, 0, 0));
    }

    @Test
    void repeatedRisesAndFallsAreUneven() {
        Shape shape = Shape.of(rate(60, second -> 100_000 + 60_000.0 * (second % 5) / 5));
        assertThat(shape.kind()).isEqualTo(Kind.UNEVEN);
        assertThat(shape.words("deliveries")).startsWith("Uneven: ");
    }

    @Test
    void steadyFallIsADrift() {
        Shape shape = Shape.of(rate(60, second -> 1_000 - 4 * second));
        assertThat(shape.kind()).isEqualTo(Kind.DRIFT);
        assertThat(shape.drift()).isCloseTo(-0.162, within(0.01));
        assertThat(shape.words("deliveries")).contains("Falling", "-16.2 %");
    }

    @Test
    void driftBelowSixPercentIsAPlateau() {
        assertThat(Shape.of(rate(60, second -> 1_000 + second)).kind()).isEqualTo(Kind.PLATEAU);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void noiseAboveTenPercentIsUneven(long seed) {
        Random noise = new Random(seed);
        assertThat(Shape.of(rate(60, second -> 1_000 * (1 + 0.2 * noise.nextGaussian())))
                        .kind())
                .isEqualTo(Kind.UNEVEN);
    }

    @Test
    void oneStepIsUneven() {
        assertThat(Shape.of(rate(60, second -> second < 25 ? 1_000 : 400)).kind())
                .isEqualTo(Kind.UNEVEN);
    }

    @Test
    void rampsAtBothEndsAreIgnored() {
        Shape shape = Shape.of(rate(60, second -> {
            if (second < 6) return 100.0 * second;
            return second >= 56 ? 50 : 700;
        }));
        assertThat(shape.kind()).isEqualTo(Kind.PLATEAU);
        assertThat(shape.mean()).isEqualTo(700);
    }

    @Test
    void tooFewOrZeroValuesAreTooShort() {
        assertThat(Shape.of(rate(13, second -> 700)).kind()).isEqualTo(Kind.TOO_SHORT);
        assertThat(Shape.of(rate(14, second -> 700)).kind()).isEqualTo(Kind.PLATEAU);
        assertThat(Shape.of(new double[0]).kind()).isEqualTo(Kind.TOO_SHORT);
        assertThat(Shape.of(rate(60, second -> 0)).kind()).isEqualTo(Kind.TOO_SHORT);
        assertThat(Shape.of(rate(60, second -> Double.NaN)).kind()).isEqualTo(Kind.TOO_SHORT);
    }

    private static double[] rate(int seconds, IntToDoubleFunction perSecond) {
        return IntStream.range(0, seconds).mapToDouble(perSecond).toArray();
    }
}
