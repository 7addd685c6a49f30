package chat.load.lab.matrix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MatrixPlanTest {
    private static final MatrixPlan.Limits LIMITS =
            new MatrixPlan.Limits(Duration.ofSeconds(1), Duration.ofSeconds(1), Duration.ZERO);

    @Test
    void eachRepeatTakesEachCellOnce() {
        assertThat(plan(3, false, 0).runs())
                .extracting(run -> run.number() + run.cell().name() + run.repeat())
                .containsExactly("1s=a1", "2s=b1", "3s=c1", "4s=a2", "5s=b2", "6s=c2", "7s=a3", "8s=b3", "9s=c3");
    }

    @Test
    void shufflingStaysWithinTheRepeatAndFollowsTheSeed() {
        List<Run> runs = plan(10, true, 1).runs();
        for (int repeat = 0; repeat < 10; repeat++)
            assertThat(runs.subList(3 * repeat, 3 * repeat + 3))
                    .extracting(run -> run.cell().name())
                    .containsExactlyInAnyOrder("s=a", "s=b", "s=c");
        assertThat(plan(10, true, 1).runs()).isEqualTo(runs);
        assertThat(plan(10, true, 2).runs()).isNotEqualTo(runs);
        assertThat(runs).isNotEqualTo(plan(10, false, 1).runs());
    }

    @Test
    void foldersSortByNumberAndAreSafeNames() {
        Cell odd = cell("x/y z");
        assertThat(new Run(7, 1, 120, odd).folder(Path.of("out"))).isEqualTo(Path.of("out/007-s=x_y_z"));
        assertThat(new Run(7, 1, 9, cell("v".repeat(500))).folder(Path.of("")).toString())
                .hasSizeLessThan(100);
    }

    @Test
    void nonsenseIsRefused() {
        assertThatThrownBy(() -> plan(0, false, 0)).hasMessageContaining("repeats");
        assertThatThrownBy(() -> plan(4000, false, 0)).hasMessageContaining("12000 runs");
        assertThatThrownBy(() ->
                        new MatrixPlan("t", List.of(cell("a"), cell("a")), 1, 0, false, 0, Path.of(""), LIMITS, false))
                .hasMessageContaining("same name");
    }

    private static MatrixPlan plan(int repeats, boolean shuffled, long seed) {
        return new MatrixPlan(
                "t",
                List.of(cell("a"), cell("b"), cell("c")),
                repeats,
                0,
                shuffled,
                seed,
                Path.of("out"),
                LIMITS,
                false);
    }

    private static Cell cell(String value) {
        return new Cell(Map.of("s", value), List.of("fanout"), null, List.of());
    }
}
