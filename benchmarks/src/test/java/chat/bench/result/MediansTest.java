package chat.bench.result;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class MediansTest {
    @Test
    void medianOfAnOddNumberIsTheMiddleValue() {
        assertThat(Medians.of(List.of(9.0, 1.0, 5.0))).isEqualTo(5);
    }

    @Test
    void medianOfAnEvenNumberIsTheMeanOfTheMiddleTwo() {
        assertThat(Medians.of(List.of(9.0, 1.0, 5.0, 4.0))).isEqualTo(4.5);
    }

    @Test
    void medianIsUnknownWithoutValuesOrWithAnUnknownOne() {
        assertThat(Medians.of(List.of())).isNaN();
        assertThat(Medians.of(List.of(1.0, Double.NaN, 2.0))).isNaN();
    }

    @Test
    void ratiosAreThoseOfTheSameRun() {
        assertThat(Medians.ratios(List.of(10.0, 30.0), List.of(5.0, 10.0))).containsExactly(2.0, 3.0);
        assertThatThrownBy(() -> Medians.ratios(List.of(1.0), List.of())).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void textHasSixDigitsAndNoTrailingZeros() {
        assertThat(Medians.text(41_000)).isEqualTo("41000");
        assertThat(Medians.text(120_000.4)).isEqualTo("120000");
        assertThat(Medians.text(8.50)).isEqualTo("8.5");
        assertThat(Medians.text(1 / 3.0)).isEqualTo("0.333333");
        assertThat(Medians.text(Double.NaN)).isEqualTo("?");
    }
}
