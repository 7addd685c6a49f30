package chat.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@DisabledOnOs(value = OS.WINDOWS, disabledReason = "The script is for bash")
class ReleaseNotesTest {
    @TempDir
    Path directory;

    private int notes(String version) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        TestPlaces.root().resolve("tools/release-notes").toString(), version)
                .redirectErrorStream(true)
                .redirectOutput(output().toFile())
                .start();
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        return process.exitValue();
    }

    private Path output() {
        return directory.resolve("notes");
    }

    @Test
    void notesOfAVersionAreItsChangelogSectionWithoutTheHeading() throws Exception {
        assertThat(notes("Unreleased")).isZero();
        assertThat(Files.readString(output())).startsWith("### ").doesNotContain("\n## [");
    }

    @Test
    void versionWithoutASectionFails() throws Exception {
        assertThat(notes("999.0.0")).isEqualTo(1);
    }
}
