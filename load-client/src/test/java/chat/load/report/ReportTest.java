package chat.load.report;

import static org.assertj.core.api.Assertions.assertThat;

import chat.load.report.Latencies.Metric;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Map;
import java.util.Objects;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class ReportTest {
    @Test
    void percentilesAreOfAllThreadsAndInMilliseconds() {
        Latencies one = new Latencies();
        Latencies other = new Latencies();
        for (int millis = 1; millis <= 50; millis++) one.record(Metric.ACK, millis * 1_000_000L);
        for (int millis = 51; millis <= 100; millis++) other.record(Metric.ACK, millis * 1_000_000L);
        other.record(Metric.WELCOME, -5);
        one.add(other);
        Map<String, Histogram> all = one.histograms();
        Percentiles ack = percentiles(all, RunRecord.ACK);
        assertThat(ack.count()).isEqualTo(100);
        assertThat(ack.mean()).isBetween(50.4, 50.6);
        assertThat(ack.p50()).isBetween(50.0, 50.1);
        assertThat(ack.p95()).isBetween(95.0, 95.1);
        assertThat(ack.p99()).isBetween(99.0, 99.1);
        assertThat(ack.min()).isBetween(0.99, 1.0);
        assertThat(ack.max()).isBetween(100.0, 100.1);
        assertThat(percentiles(all, RunRecord.WELCOME)).isEqualTo(new Percentiles(1, 0, 0, 0, 0, 0, 0, 0, 0));
        assertThat(all).as("only what was measured").doesNotContainKey(RunRecord.OWN_DELIVERY);
    }

    private static Percentiles percentiles(Map<String, Histogram> all, String name) {
        return Percentiles.of(Objects.requireNonNull(all.get(name)));
    }

    @Test
    void theProgressLineTellsCountsRateAndTroubles() {
        Counters counters = new Counters();
        StringWriter out = new StringWriter();
        try (ProgressLine line = new ProgressLine(new PrintWriter(out), false, counters, 1000, 50_000)) {
            long begin = System.nanoTime();
            assertThat(line.line(begin)).contains("joined 0/1,000").doesNotContain("reconnects");
            counters.joined.add(1000);
            counters.deliveries.add(3000);
            counters.reconnects.add(2);
            assertThat(line.line(begin + 2_000_000_000L))
                    .contains("joined 1,000/1,000", "sent 0/50,000", "deliveries 3,000 (1,500/s)", "reconnects 2")
                    .doesNotContain("gaps");
        }
    }
}
