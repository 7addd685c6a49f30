package chat.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import chat.launcher.Dashboards.Dashboard;
import chat.launcher.Dashboards.Panel;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class DashboardsTest {
    static List<Dashboard> dashboards() {
        return Dashboards.all();
    }

    @ParameterizedTest
    @MethodSource("dashboards")
    void everyPanelHasADescriptionAndAUnit(Dashboard dashboard) {
        assertThat(dashboard.panels()).isNotEmpty().allSatisfy(panel -> {
            assertThat(panel.title()).isNotBlank();
            assertThat(panel.json().path("description").asString())
                    .as(panel.title())
                    .isNotBlank();
            assertThat(panel.json()
                            .path("fieldConfig")
                            .path("defaults")
                            .path("unit")
                            .asString())
                    .as(panel.title())
                    .isNotBlank();
            assertThat(panel.queries())
                    .as(panel.title())
                    .isNotEmpty()
                    .allSatisfy(query -> assertThat(query).isNotBlank());
        });
    }

    @ParameterizedTest
    @MethodSource("dashboards")
    void noPanelsOverlapAndTheirIdsDiffer(Dashboard dashboard) {
        List<Panel> panels = dashboard.panels();
        assertThat(panels.stream().map(panel -> panel.json().path("id").asInt()))
                .doesNotHaveDuplicates();
        for (int i = 0; i < panels.size(); i++)
            for (int j = 0; j < i; j++)
                assertThat(overlap(panels.get(i), panels.get(j)))
                        .as(panels.get(i).title() + ", " + panels.get(j).title())
                        .isFalse();
    }

    private static boolean overlap(Panel one, Panel other) {
        return overlap(one, other, "x", "w") && overlap(one, other, "y", "h");
    }

    private static boolean overlap(Panel one, Panel other, String from, String size) {
        var a = one.json().path("gridPos");
        var b = other.json().path("gridPos");
        return a.path(from).asInt() < b.path(from).asInt() + b.path(size).asInt()
                && b.path(from).asInt() < a.path(from).asInt() + a.path(size).asInt();
    }

    @Test
    void dashboardsHaveUniqueIdsAndUseTheProvisionedSource() {
        assertThat(dashboards()).hasSize(5);
        assertThat(dashboards().stream()
                        .map(dashboard -> dashboard.json().path("uid").asString()))
                .doesNotHaveDuplicates()
                .allMatch(uid -> uid.startsWith("confab-"));
        assertThat(dashboards().stream().flatMap(dashboard -> dashboard.panels().stream()))
                .allSatisfy(panel -> assertThat(
                                panel.json().path("datasource").path("uid").asString())
                        .isEqualTo("confab-prometheus"));
    }
}
