package chat.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** {@link MonitoringFilesIT} runs the tests of the alerts; here is seen that there is one for each. */
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

    /** By the names of the tests, "ALERT" or "ALERT, which case"; and by those that name what they expect. */
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
