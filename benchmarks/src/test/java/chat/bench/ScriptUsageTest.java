package chat.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class ScriptUsageTest {
    /** The script prints its own usage, so that it does not have to build the benchmarks first. */
    @Test
    void everyCommandAndOptionIsInTheUsageOfTheScript() throws Exception {
        String script = Files.readString(Path.of("../bench"));
        CommandLine bench = new CommandLine(Benchmarks.class);
        assertThat(bench.getSubcommands().keySet())
                .allSatisfy(command -> assertThat(script).contains("\n  " + command + " "));
        assertThat(bench.getCommandSpec().options())
                .filteredOn(option -> !option.usageHelp() && !option.versionHelp())
                .allSatisfy(option -> assertThat(script).contains("\n  " + option.longestName() + " "));
    }
}
