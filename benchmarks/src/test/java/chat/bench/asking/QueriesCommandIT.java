package chat.bench.asking;

import static org.assertj.core.api.Assertions.assertThat;

import chat.bench.Benchmarks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class QueriesCommandIT {
    @TempDir
    Path results;

    @Test
    void plansAreInATextFileBesideTheTimes() throws Exception {
        int exit = new CommandLine(Benchmarks.class)
                .execute(
                        "--out",
                        results.toString(),
                        "queries",
                        "--rows=1000",
                        "--rate=0",
                        "--questions=2",
                        "--warm-up=1",
                        "--explain");

        assertThat(exit).isZero();
        List<String> names = Asked.all().stream().map(Asked::name).toList();
        String times = result("queries-*.md");
        String plans = result("query-plans-*.txt");
        assertThat(times).contains(names).doesNotContain("plan:");
        assertThat(plans).contains(names);
        // Each query of REST reads at least one table.
        assertThat(plans.split("plan:", -1).length).isGreaterThan(names.size());
        assertThat(firstLine(plans)).isEqualTo(firstLine(times)).containsPattern(", \\d{4}-\\d{2}-\\d{2}, ");
    }

    private String result(String pattern) throws IOException {
        try (Stream<Path> files = Files.list(results)) {
            Path file = files.filter(found -> results.getFileSystem()
                            .getPathMatcher("glob:" + pattern)
                            .matches(found.getFileName()))
                    .findFirst()
                    .orElseThrow();
            return Files.readString(file);
        }
    }

    private static String firstLine(String text) {
        return text.lines().findFirst().orElseThrow();
    }
}
