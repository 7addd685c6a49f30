package chat.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Checks that each alert has a test; {@link MonitoringFilesIT} runs the tests. */
class AlertsTest {
    static List<Rules.Rule> alerts() {
        return Rules.alerts();
    }

    @ParameterizedTest
    @MethodSource("alerts")
    void everyAlertHasATestASeverityAndASummary(Rules.Rule alert) {
        assertThat(tested()).contains(alert.name());
        assertThat(alert.labels().get("severity")).isIn("critical", "warning", "none");
        assertThat(alert.annotations().get("summary")).isNotBlank();
    }

    /** Found by the names of the tests, "ALERT" or "ALERT, CASE", and by the alerts that they expect. */
    private static Set<String> tested() {
        return Stream.of("alerts.yml", "alerts-over-hours.yml")
                .map(file -> Rules.yaml(Rules.DIRECTORY.resolve("tests").resolve(file)))
                .flatMap(file -> Rules.maps(file.get("tests")))
                .flatMap(test -> Stream.concat(
                        Stream.of(String.valueOf(test.get("name")).replaceFirst(",.*", "")),
                        Rules.maps(test.get("alert_rule_test")).map(one -> String.valueOf(one.get("alertname")))))
                .collect(Collectors.toSet());
    }
}
