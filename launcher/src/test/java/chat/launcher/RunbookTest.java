package chat.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Checks that docs/guide/runbook.md has a section for each alert and no others. */
class RunbookTest {
    static List<Rules.Rule> alerts() {
        return Rules.alerts();
    }

    @ParameterizedTest
    @MethodSource("alerts")
    void everyAlertHasItsSectionInTheRunbook(Rules.Rule alert) throws IOException {
        assertThat(Files.readString(TestPlaces.root().resolve("docs/guide/runbook.md")))
                .contains("\n### " + alert.name() + "\n");
        if (!alert.name().equals("Watchdog"))
            assertThat(alert.annotations().get("runbook"))
                    .isEqualTo("docs/guide/runbook.md#" + alert.name().toLowerCase(Locale.ROOT));
    }

    @Test
    void everyAlertSectionInTheRunbookHasAnAlert() throws IOException {
        Set<String> names = Set.copyOf(alerts().stream().map(Rules.Rule::name).toList());
        assertThat(Files.readAllLines(TestPlaces.root().resolve("docs/guide/runbook.md")).stream()
                        .filter(line -> line.startsWith("### "))
                        .map(line -> line.substring(4)))
                .allMatch(names::contains);
    }
}
