package chat.load.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import chat.load.diagnosis.Shape.Kind;
import java.util.Random;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShapeTest {
    private final Random random = new Random(7);

    @Test
    void aSteadyRateIsAPlateau() {
        Shape shape = Shape.of(rate(60, second -> 700_000 * (1 + 0.03 * random.nextGaussian())));
        assertThat(shape.kind()).isEqualTo(Kind.PLATEAU);
        assertThat(shape.mean()).isCloseTo(700_000, within(10_000.0));
        assertThat(shape.variation()).isBetween(0.01, 0.05);
        assertThat(shape.seconds()).isEqualTo(58);
    }

    @Test
    void aConstantRateIsAPlateau() {
        assertThat(Shape.of(rate(30, second -> 5))).isEqualTo(new Shape(Kind.PLATEAU, 28, 5, 0, 0, 0, 0, 0));
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 5, 8, 12})
    void aRateThatClimbsAndFallsAgainAndAgainIsASawtooth(int period) {
        Shape shape = Shape.of(
                rate(60, second -> 100_000 + 60_000.0 * (second % period) / period + 2_000 * random.nextGaussian()));
        assertThat(shape.kind()).isEqualTo(Kind.SAWTOOTH);
        assertThat(shape.period()).isEqualTo(period);
        assertThat(shape.words("deliveries")).contains("sawtooth", "about every " + period + " s");
    }

    @Test
    void aRateThatStallsEveryOtherSecondIsASawtooth() {
        Shape shape = Shape.of(rate(40, second -> second % 2 == 0 ? 100 : 60));
        assertThat(shape.kind()).isEqualTo(Kind.SAWTOOTH);
        assertThat(shape.period() % 2).isZero();
        assertThat(shape.lag1()).isNegative();
    }

    @Test
    void slowWavesWithoutAPeriodAreASawtooth() {
        // Teeth of 6, 9, 14, 8, 11, 13, … seconds.
        int[] lengths = {6, 9, 14, 8, 11, 13, 7, 12};
        double[] values = new double[IntStream.of(lengths).sum()];
        int at = 0;
        for (int length : lengths) for (int i = 0; i < length; i++) values[at++] = 100 + 80.0 * i / length;
        assertThat(Shape.of(values).kind()).isEqualTo(Kind.SAWTOOTH);
    }

    @Test
    void aSteadyFallIsADrift() {
        Shape shape = Shape.of(rate(60, second -> 1_000 - 4 * second));
        assertThat(shape.kind()).isEqualTo(Kind.DRIFT);
        assertThat(shape.drift()).isCloseTo(-0.162, within(0.01));
        assertThat(shape.words("deliveries")).contains("Falling", "-16.2 %");
    }

    @Test
    void whatDriftsLessThanSixPercentIsAPlateau() {
        assertThat(Shape.of(rate(60, second -> 1_000 + second)).kind()).isEqualTo(Kind.PLATEAU);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void noiseIsUnevenAndNoSawtooth(long seed) {
        Random noise = new Random(seed);
        assertThat(Shape.of(rate(60, second -> 1_000 * (1 + 0.2 * noise.nextGaussian())))
                        .kind())
                .isEqualTo(Kind.UNEVEN);
    }

    @Test
    void oneStepIsNoSawtooth() {
        assertThat(Shape.of(rate(60, second -> second < 25 ? 1_000 : 400)).kind())
                .isEqualTo(Kind.UNEVEN);
    }

    @Test
    void rampsAtEitherEndAreNotTakenForADrift() {
        Shape shape = Shape.of(rate(60, second -> {
            if (second < 6) return 100.0 * second;
            return second >= 56 ? 50 : 700;
        }));
        assertThat(shape.kind()).isEqualTo(Kind.PLATEAU);
        assertThat(shape.mean()).isEqualTo(700);
    }

    @Test
    void tooFewSecondsAreNotJudged() {
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
