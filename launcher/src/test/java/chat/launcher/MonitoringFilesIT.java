package chat.launcher;

import chat.testing.Needs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks the files in {@code infra/prometheus} and {@code infra/grafana} with promtool. */
@Needs("prometheus")
class MonitoringFilesIT {
    @TempDir
    Path directory;

    private void promtool(String... arguments) throws Exception {
        PrometheusPrograms.promtool(directory.resolve("promtool.log"), arguments);
    }

    private static String[] with(List<String> words, Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return Stream.concat(words.stream(), files.map(Path::toString).sorted())
                    .toArray(String[]::new);
        }
    }

    @Test
    void configurationAndRulesAreValid() throws Exception {
        promtool("check", "config", Rules.DIRECTORY.resolve("prometheus.yml").toString());
    }

    @Test
    void alertsFireAsTheirTestsExpect() throws Exception {
        promtool(with(List.of("test", "rules"), Rules.DIRECTORY.resolve("tests")));
    }

    @Test
    void everyQueryOfADashboardIsValid() throws Exception {
        StringBuilder rules = new StringBuilder("groups:\n- name: dashboards\n  rules:\n");
        int number = 0;
        for (String query : Dashboards.queries())
            rules.append("  - {record: 'q:")
                    .append(number++)
                    .append("', expr: '")
                    .append(query.replace("'", "''").replace('\n', ' '))
                    .append("'}\n");
        Path file = Files.writeString(directory.resolve("queries.yml"), rules);
        promtool("check", "rules", file.toString());
    }
}
