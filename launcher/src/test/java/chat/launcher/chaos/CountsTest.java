package chat.launcher.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CountsTest {
    @TempDir
    Path folder;

    private Counts read(String verdict) throws IOException {
        Files.writeString(folder.resolve("summary.json"), "{\"verdict\": {" + verdict + "}}");
        return Counts.read(folder);
    }

    @Test
    void rowsAndDeliveriesThatAreMissingAreLost() throws IOException {
        assertThat(
                        read(
                                "\"accepted\": 100, \"lost\": 1, \"missing\": 2, \"doubled\": 3, \"phantom\": 4, \"outOfOrder\": 5"))
                .isEqualTo(new Counts(100, 3, 3, 4, 5));
    }

    @Test
    void missingCountIsNotZero() {
        assertThatThrownBy(() -> read("\"accepted\": 100, \"missing\": 2, \"doubled\": 3, \"outOfOrder\": 5"))
                .isInstanceOf(ChaosFailure.class)
                .hasMessageContaining("lost");
    }

    @Test
    void loadWithoutSummaryFails() {
        assertThatThrownBy(() -> Counts.read(folder.resolve("none"))).isInstanceOf(ChaosFailure.class);
    }
}
