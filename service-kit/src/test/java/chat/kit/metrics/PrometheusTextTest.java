package chat.kit.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import chat.kit.metrics.PrometheusText.Value;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PrometheusTextTest {
    @Test
    void namesLabelsAndNumbers() {
        assertThat(read("""
                        # HELP a_total Something
                        # TYPE a_total counter
                        a_total 3.0
                        b{area="heap",id="G1 Eden Space"} 1.2582912E7
                        c{} 5 1795231238034
                        d{x="1",} +Inf
                        e{x="1"}\t-Inf
                        """))
                .containsExactly(
                        new Value("a_total", Map.of(), 3),
                        new Value("b", Map.of("area", "heap", "id", "G1 Eden Space"), 12_582_912),
                        new Value("c", Map.of(), 5),
                        new Value("d", Map.of("x", "1"), Double.POSITIVE_INFINITY),
                        new Value("e", Map.of("x", "1"), Double.NEGATIVE_INFINITY));
    }

    @Test
    void escapedLabels() {
        assertThat(read("a{path=\"C:\\\\x\\n\\\"y\\\"\",b=\"}, ={\"} 1"))
                .containsExactly(new Value("a", Map.of("path", "C:\\x\n\"y\"", "b", "}, ={"), 1));
    }

    @Test
    void nanIsANumber() {
        assertThat(read("a NaN"))
                .singleElement()
                .satisfies(value -> assertThat(value.value()).isNaN());
    }

    @Test
    void unreadableLineIsSkipped() {
        assertThat(read("a{b=\"c 1\na{b\na\na x\na{b=c} 1\n\n   \n<html>a</html>\na 7"))
                .containsExactly(new Value("a", Map.of(), 7));
    }

    @Test
    void linesOfOtherMetricsAreNotParsed() {
        List<Value> values = new ArrayList<>();
        PrometheusText.read(
                "a 1\nb{ 2\nab 3\n".getBytes(StandardCharsets.UTF_8), name -> name.equals("a"), values::add);
        assertThat(values).containsExactly(new Value("a", Map.of(), 1));
    }

    private static List<Value> read(String text) {
        List<Value> values = new ArrayList<>();
        PrometheusText.read(text.getBytes(StandardCharsets.UTF_8), name -> true, values::add);
        return values;
    }
}
