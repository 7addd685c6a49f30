package chat.load.report;

import static org.assertj.core.api.Assertions.assertThat;

import chat.load.report.Latencies.Metric;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
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
        try (ProgressLine line = line(false, counters, null)) {
            long begin = System.nanoTime();
            assertThat(line.line(begin))
                    .contains("join   0 %", "joined 0/1,000")
                    .doesNotContain("reconnects", "left");
            counters.joined.add(1000);
            counters.deliveries.add(3000);
            counters.reconnects.add(2);
            assertThat(line.line(begin + 2_000_000_000L))
                    .contains("joined 1,000/1,000", "sent 0/50,000", "deliveries 3,000 (1,500/s)", "reconnects 2")
                    .doesNotContain("gaps");
        }
    }

    @Test
    void theProgressLineTellsWhenTheStageWillBeDone() {
        Counters counters = new Counters();
        try (ProgressLine line = line(true, counters, null)) {
            long begin = System.nanoTime();
            counters.joined.add(1000);
            counters.sent.add(1);
            assertThat(line.line(begin)).contains("chat [>                       ]   0 %");
            counters.accepted.add(12_500);
            assertThat(line.line(begin + 10_000_000_000L))
                    .contains("chat [======>                 ]  25 %, 0:30 left", "accepted 12,500 (1,250/s)");
            counters.accepted.add(37_500);
            counters.stored.add(25_000);
            assertThat(line.line(begin + 40_000_000_000L)).contains("storage [============>", " 50 %  joined");
        }
    }

    @Test
    void aChatThatEndsByTimeIsDoneByTime() {
        Counters counters = new Counters();
        try (ProgressLine line = line(false, counters, Duration.ofMinutes(10))) {
            long begin = System.nanoTime();
            counters.sent.add(1);
            assertThat(line.line(begin)).contains("chat   0 %");
            assertThat(line.line(begin + 60_000_000_000L)).contains("chat  10 %, 9:00 left");
        }
    }

    @Test
    void theTimeLeftFollowsThePaceOfLate() {
        Eta eta = new Eta();
        assertThat(eta.secondsLeft()).isEmpty();
        for (int second = 0; second <= 20; second++) eta.look(second * 1_000_000_000L, second * 0.01);
        assertThat(eta.secondsLeft()).hasValue(80);
        for (int second = 21; second <= 30; second++) eta.look(second * 1_000_000_000L, 0.2 + (second - 20) * 0.02);
        assertThat(eta.secondsLeft()).hasValue(30);
        for (int second = 31; second <= 41; second++) eta.look(second * 1_000_000_000L, 0.4);
        assertThat(eta.secondsLeft()).isEmpty();
    }

    private static ProgressLine line(boolean terminal, Counters counters, @Nullable Duration chat) {
        return new ProgressLine(new PrintWriter(new StringWriter()), terminal, counters, 1000, 50_000, chat);
    }
}
