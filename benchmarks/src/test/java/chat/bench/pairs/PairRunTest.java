package chat.bench.pairs;

import static org.assertj.core.api.Assertions.assertThat;

import chat.kit.metrics.PrometheusText;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PairRunTest {
    private static LogTimes log(String metrics) {
        List<PrometheusText.Value> values = new ArrayList<>();
        PrometheusText.read(metrics.getBytes(StandardCharsets.UTF_8), LogTimes.METRICS::contains, values::add);
        return LogTimes.of(values);
    }

    private static final LogTimes BEFORE = log("""
            chat_log_entries_published_total{partition="0"} 100.0
            chat_log_confirm_seconds_bucket{le="0.001"} 90
            chat_log_confirm_seconds_bucket{le="0.002"} 100
            chat_log_confirm_seconds_bucket{le="+Inf"} 100
            """);

    /** Of two servers. */
    private static final LogTimes AFTER = log("""
            chat_log_entries_published_total{partition="0"} 200.0
            chat_log_entries_published_total{partition="1"} 900.0
            chat_log_confirm_seconds_bucket{le="0.001"} 100
            chat_log_confirm_seconds_bucket{le="0.002"} 590
            chat_log_confirm_seconds_bucket{le="0.004194304"} 595
            chat_log_confirm_seconds_bucket{le="+Inf"} 600
            chat_log_confirm_seconds_bucket{le="0.001"} 0
            chat_log_confirm_seconds_bucket{le="0.002"} 490
            chat_log_confirm_seconds_bucket{le="0.004194304"} 500
            chat_log_confirm_seconds_bucket{le="+Inf"} 500
            """);

    @Test
    void lineHasRateCpuEntriesAndConfirmLatency() {
        assertThat(new PairRun(40_000.4, 30.04, 9.96).line("A", List.of(), AFTER.since(BEFORE), 100_000))
                .isEqualTo("A: 40000 messages/s, per message servers 30.0 and RabbitMQ 10.0 µs;"
                        + " 400 entries/s, confirmed within 2 (p50) and 4.19 ms (p99)");
    }

    @Test
    void lineIncludesCounters() {
        List<String> counters = PerfCounters.perMessage(
                List.of(
                        "# started on Sat Nov 28 10:00:00 2026",
                        "",
                        "1234,,context-switches,1,100.00,,",
                        "98765432,,instructions,1,100.00,,",
                        "<not supported>,,cycles,0,100.00,,"),
                10_000);
        assertThat(new PairRun(1, 2, 3).line("B", counters, AFTER.since(BEFORE), 10_000))
                .startsWith("B: 1 messages/s, per message servers 2.0 and RabbitMQ 3.0 µs, 0.12 context-switches,"
                        + " 9877 instructions; ");
    }

    @Test
    void confirmLatencyIsUnknownWithoutEntries() {
        assertThat(BEFORE.since(BEFORE).confirmMillis(0.5)).isEqualTo("?");
        assertThat(log("").confirmMillis(0.5)).isEqualTo("?");
    }

    @Test
    void confirmLatencyAboveTheLastBoundIsUnknown() {
        assertThat(
                        log("chat_log_confirm_seconds_bucket{le=\"1.0\"} 1\nchat_log_confirm_seconds_bucket{le=\"+Inf\"} 4\n")
                                .confirmMillis(0.5))
                .isEqualTo("?");
    }

    @Test
    void mediansAreThoseOfThePairs() {
        List<PairRun> a = List.of(new PairRun(100, 1, 1), new PairRun(200, 2, 2), new PairRun(150, 2, 0));
        List<PairRun> b = List.of(new PairRun(90, 2, 1), new PairRun(100, 2, 2), new PairRun(150, 1, 1));
        // ratios 0.9, 0.5, 1; CPU 1.5, 1, 1
        assertThat(PairRun.medians(a, b))
                .containsExactly(
                        "A: median 150 messages/s",
                        "B: median 100 messages/s",
                        "B to A, medians of the pairs: messages/s 0.9, CPU of a message 1");
    }
}
