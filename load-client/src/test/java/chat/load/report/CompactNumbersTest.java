package chat.load.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CompactNumbersTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "-0.0, 0",
        "1, 1",
        "123456, 123456",
        "-17, -17",
        "0.30000000000000004, 0.3",
        "12.3456, 12.35",
        "812345678, 8123e5",
        "1000000, 1e6",
        "0.000123456, 1235e-7",
        "98765.4, 98770",
        "NaN, null",
        "Infinity, null"
    })
    void areShortAndStillJson(double value, String expected) {
        assertThat(CompactNumbers.compact(value)).isEqualTo(expected);
    }
}
