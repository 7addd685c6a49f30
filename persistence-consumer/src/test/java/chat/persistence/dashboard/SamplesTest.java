package chat.persistence.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SamplesTest {
    @Test
    void valuesAreSummedAndGroupedByLabel() {
        Samples samples = Samples.parse("""
                # HELP chat_sessions sockets
                # TYPE chat_sessions gauge
                chat_sessions 12.0
                chat_intake_total{outcome="taken",} 3.5E2
                chat_intake_total{outcome="INVALID"} 2 1763632800123
                """);
        assertThat(samples.sum("chat_sessions")).isEqualTo(12);
        assertThat(samples.sum("chat_intake_total")).isEqualTo(352);
        assertThat(samples.by("chat_intake_total", "outcome")).isEqualTo(Map.of("taken", 350.0, "INVALID", 2.0));
        assertThat(samples.has("chat_sessions")).isTrue();
        assertThat(samples.has("chat_session")).isFalse();
        assertThat(samples.sum("chat_session")).isZero();
    }

    @Test
    void labelsMayHoldQuotesCommasAndBraces() {
        Samples samples = Samples.parse("odd{a=\"x\\\"}, y\\\\\\n\",b=\"2\"} 1\n");
        assertThat(samples.by("odd", "a")).isEqualTo(Map.of("x\"}, y\\\n", 1.0));
        assertThat(samples.by("odd", "b")).isEqualTo(Map.of("2", 1.0));
    }

    @Test
    void bucketsAreInTheOrderOfTheirBounds() {
        Samples samples = Samples.parse("""
                wait_seconds_bucket{le="10.0"} 7
                wait_seconds_bucket{le="2.0"} 4
                wait_seconds_bucket{le="+Inf"} 8
                """);
        assertThat(samples.buckets("wait_seconds"))
                .containsExactly(Map.entry(2.0, 4.0), Map.entry(10.0, 7.0), Map.entry(Double.POSITIVE_INFINITY, 8.0));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "name", "name ", "name{a=\"b\" 1", "name{a=\"b", "name{} x", "<html>", "{", "name{a=\"\\"})
    void otherLinesAreSkipped(String line) {
        Samples samples = Samples.parse(line + "\ngood 1\n");
        assertThat(samples.sum("good")).isEqualTo(1);
        assertThat(samples.has("name")).isFalse();
    }
}
