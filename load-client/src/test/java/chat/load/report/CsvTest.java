package chat.load.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class CsvTest {
    @Test
    void writtenRowsAreReadBack() {
        Csv csv = new Csv("a", "b,\"c\"");
        csv.row("line\nbreak", 1.5);
        csv.row("", Double.NaN);
        csv.row(7, 812_345_678_901.0);
        assertThat(Csv.read(csv.toString()))
                .containsExactly(
                        List.of("a", "b,\"c\""),
                        List.of("line\nbreak", "1.5"),
                        List.of("", ""),
                        List.of("7", "812345678901"));
    }

    @Test
    void otherLineEndsAndAMissingLastOneAreRead() {
        assertThat(Csv.read("a,b\r\n1,2")).containsExactly(List.of("a", "b"), List.of("1", "2"));
        assertThat(Csv.read("")).isEmpty();
        assertThatThrownBy(() -> Csv.read("\"a")).isInstanceOf(IllegalArgumentException.class);
    }
}
