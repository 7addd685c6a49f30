package chat.bench.targets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import chat.bench.targets.TargetPlan.Part;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TargetPlanTest {
    @Test
    void withoutWordsAllRowsAreMeasuredThreeTimes() {
        assertThat(TargetPlan.parse(List.of())).isEqualTo(new TargetPlan(3, List.of(Part.values())));
    }

    @Test
    void rowsAreMeasuredInTheGivenOrder() {
        assertThat(TargetPlan.parse(List.of("5", "idle", "chat")))
                .isEqualTo(new TargetPlan(5, List.of(Part.IDLE, Part.CHAT)));
        assertThat(TargetPlan.parse(List.of("connections"))).isEqualTo(new TargetPlan(3, List.of(Part.CONNECTIONS)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "1001", "99999999999", "2x"})
    void wrongNumberOfRunsIsRejected(String runs) {
        assertThatThrownBy(() -> TargetPlan.parse(List.of(runs, "chat")))
                .hasMessage("RUNS must be a whole number from 1 to 1000, not " + runs);
    }

    @ParameterizedTest
    @ValueSource(strings = {"cha", "CHAT", "", "--runs"})
    void unknownRowIsRejectedWithTheListOfRows(String row) {
        assertThatThrownBy(() -> TargetPlan.parse(List.of("2", row)))
                .hasMessage("unknown row: " + row + "; the rows are chat, offered, connections, standard, idle");
    }
}
