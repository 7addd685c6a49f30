package chat.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ScriptUsageTest {
    /** The script prints its own usage, so that it need not build the load client for it. */
    @Test
    void everyCommandStandsInTheUsageOfTheScript() throws Exception {
        String script = Files.readString(Path.of("../load"));
        assertThat(LoadClient.commandLine().getSubcommands().keySet())
                .allSatisfy(command -> assertThat(script).contains("\n  " + command + " "));
    }
}
