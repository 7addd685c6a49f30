package chat.bench.targets;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class TargetRowTest {
    @Test
    void rowHasTargetMedianAndEveryRun() {
        assertThat(new TargetRow("window 1", "45,000", "messages/s", 0).of(List.of(41_000.4, 39_999.6, 43_000.0)))
                .isEqualTo("| window 1 | 45,000 messages/s | **41000** messages/s | 41000, 40000, 43000 |");
    }

    @Test
    void rowWithoutTargetOrUnitLeavesThemOut() {
        assertThat(new TargetRow("p99", "", "ms", 2).of(List.of(33.0, 34.015)))
                .isEqualTo("| p99 |  | **33.51** ms | 33.00, 34.02 |");
        assertThat(new TargetRow("durable to in memory", "0.85", "", 2).of(List.of(0.941)))
                .isEqualTo("| durable to in memory | 0.85 | **0.94** | 0.94 |");
    }

    @Test
    void unknownValueIsShownAsSuch() {
        assertThat(new TargetRow("CPU", "0.5", "µs", 2).of(List.of(Double.NaN, 0.5)))
                .isEqualTo("| CPU | 0.5 µs | **?** µs | ?, 0.50 |");
    }

    @Test
    void coresAreMediansByKindOfProcess() {
        assertThat(TargetRow.ofCores(
                        List.of(new Cores(0.75, 0.4, 0.6), new Cores(0.8, 0.3, 0.5), new Cores(0.7, 0.2, 0.9))))
                .isEqualTo("| cores: chat server, RabbitMQ, generator | | 0.75, 0.3, 0.6 | |");
    }
}
