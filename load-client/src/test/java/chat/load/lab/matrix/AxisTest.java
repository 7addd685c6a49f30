package chat.load.lab.matrix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import chat.load.lab.matrix.Axis.Kind;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AxisTest {
    private static final Axis LINGER = Axis.parse(Kind.ENVIRONMENT, "LINGER=1ms,5ms,9ms");
    private static final Axis WINDOW = Axis.parse(Kind.OPTION, "window=1,16");

    @Test
    void eachValueMeetsEachOther() {
        assertThat(Axis.product(List.of(LINGER, WINDOW)))
                .extracting(point -> point.get(LINGER) + " " + point.get(WINDOW))
                .containsExactly("1ms 1", "1ms 16", "5ms 1", "5ms 16", "9ms 1", "9ms 16");
    }

    @Test
    void oneAtATimeKeepsTheFirstOfTheOthers() {
        assertThat(Axis.oneAtATime(List.of(LINGER, WINDOW)))
                .extracting(point -> point.get(LINGER) + " " + point.get(WINDOW))
                .containsExactly("1ms 1", "5ms 1", "9ms 1", "1ms 16");
    }

    @Test
    void theOrderOfAxesIsKept() {
        for (List<Map<Axis, String>> points :
                List.of(Axis.product(List.of(WINDOW, LINGER)), Axis.oneAtATime(List.of(WINDOW, LINGER))))
            assertThat(points).allSatisfy(point -> assertThat(point.keySet()).containsExactly(WINDOW, LINGER));
    }

    @Test
    void aCommaCanBePartOfAValue() {
        assertThat(Axis.parse(Kind.ENVIRONMENT, "A=x\\,y,b=c,\\d").values()).containsExactly("x,y", "b=c", "\\d");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "A", "=1", "A=", "A=1,", "A=1,,2", "A=1,1", "--window=1"})
    void nonsenseIsRefused(String text) {
        assertThatThrownBy(() -> Axis.parse(Kind.OPTION, text)).isInstanceOf(IllegalArgumentException.class);
    }
}
