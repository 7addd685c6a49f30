package chat.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.openjdk.jmh.runner.BenchmarkList;
import org.openjdk.jmh.runner.BenchmarkListEntry;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.format.OutputFormat;
import org.openjdk.jmh.runner.format.OutputFormatFactory;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

class BenchmarksTest {
    @Test
    void everyBenchmarkRuns() throws Exception {
        Set<String> ran = new Runner(new OptionsBuilder()
                        .forks(0)
                        .warmupIterations(0)
                        .measurementIterations(1)
                        .measurementTime(TimeValue.milliseconds(5))
                        .param("members", "50")
                        .param("size", "50")
                        .shouldFailOnError(true)
                        .verbosity(VerboseMode.SILENT)
                        .build())
                .run().stream().map(result -> result.getParams().getBenchmark()).collect(Collectors.toSet());

        assertThat(ran).isEqualTo(all());
    }

    private static Set<String> all() {
        OutputFormat silent = OutputFormatFactory.createFormatInstance(System.out, VerboseMode.SILENT);
        return BenchmarkList.defaultList().getAll(silent, List.of()).stream()
                .map(BenchmarkListEntry::getUsername)
                .collect(Collectors.toSet());
    }
}
