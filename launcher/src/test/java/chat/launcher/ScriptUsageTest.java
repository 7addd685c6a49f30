package chat.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** Checks that each script prints its usage without a JDK, and so without building anything. */
class ScriptUsageTest {
    private static String usage(String script) throws IOException, InterruptedException {
        ProcessBuilder builder =
                new ProcessBuilder(TestPlaces.root().resolve(script).toString(), "--help").redirectErrorStream(true);
        builder.environment().put("CONFAB_JAVA_HOME", "/nowhere");
        Process process = builder.start();
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(printed).isZero();
        return printed;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "run",
                "load",
                "bench",
                "chaos",
                "token",
                "test",
                "tools/autobahn",
                "tools/fuzz",
                "tools/mutants",
                "tools/release-notes",
                "tools/sbom",
                "tools/schemathesis",
                "infra/backup/backup",
                "infra/backup/configure",
                "infra/backup/restore",
                "infra/backup/rotate",
                "infra/compose/secrets.sh",
                "infra/drills/backup",
                "infra/images/measure",
                "load-client/peers/start"
            })
    void helpIsPrintedWithoutBuilding(String script) throws Exception {
        assertThat(usage(script)).startsWith("Usage: ");
    }

    @Test
    void everyOptionIsInTheUsage() throws Exception {
        assertOptions("token", new TokenCommand());
        assertOptions("infra/drills/backup", new BackupDrillCommand());
        assertOptions("chaos", new ChaosCommand());
        assertOptions("run", new Confab());
    }

    private static void assertOptions(String script, Object command) throws Exception {
        String usage = usage(script);
        assertThat(new CommandLine(command).getCommandSpec().options())
                .filteredOn(option -> !option.usageHelp() && !option.versionHelp())
                .allSatisfy(option -> assertThat(usage).contains("  " + option.longestName() + " "));
    }
}
