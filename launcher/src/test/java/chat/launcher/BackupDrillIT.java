package chat.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import chat.testing.Needs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs the program of {@code infra/drills/backup} with little data: a database is backed up, lost and restored. Both
 * drills run at once.
 */
@Needs("postgresql")
class BackupDrillIT {
    private static final long PATIENCE_MINUTES = 10;

    @TempDir
    static Path directory;

    private static Drill drill;
    private static Drill tampered;

    /** A drill prints to a file, because a server that it left running would keep a pipe open. */
    private record Drill(Process process, Path output) {
        static Drill start(String name, String... more) throws IOException {
            List<String> words = new ArrayList<>();
            words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
            words.addAll(List.of("-XX:TieredStopAtLevel=1", "-jar"));
            words.add(TestPlaces.root()
                    .resolve("launcher/target/program/confab.jar")
                    .toString());
            words.add("drill-backup");
            words.addAll(List.of("--rows", "1000", "--rate", "500", "--archive-timeout", "5", "--seconds", "1"));
            words.addAll(List.of(more));
            Path output = directory.resolve(name);
            Process process = new ProcessBuilder(words)
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            return new Drill(process, output);
        }

        String printed() throws IOException, InterruptedException {
            assertThat(process.waitFor(PATIENCE_MINUTES, TimeUnit.MINUTES))
                    .as("ends within %d minutes", PATIENCE_MINUTES)
                    .isTrue();
            return Files.readString(output);
        }
    }

    @BeforeAll
    static void start() throws IOException {
        drill = Drill.start("drill");
        tampered = Drill.start("tampered", "--tamper");
    }

    /** After SIGTERM a drill stops its servers. */
    @AfterAll
    static void stop() {
        for (Drill each : new Drill[] {drill, tampered}) {
            if (each != null) each.process().destroy();
        }
    }

    @Test
    void lostDatabaseIsRestoredToAPointInTimeAndToTheEndOfTheArchive() throws Exception {
        String printed = drill.printed();
        assertThat(drill.process().exitValue()).as(printed).isZero();
        assertThat(printed)
                .contains("Restored to the recorded point: every table has the same number of rows and the same hash")
                .contains("rows without a gap")
                .containsPattern("RTO \\d+\\.\\d s to the recorded point, \\d+\\.\\d s to the end")
                .containsPattern("RPO \\d+\\.\\d s: \\d+ of \\d+ committed rows were not in the archive")
                .endsWith("The drill has passed.\n");
    }

    @Test
    void oneDifferentRowFailsTheDrill() throws Exception {
        String printed = tampered.printed();
        assertThat(tampered.process().exitValue()).as(printed).isEqualTo(1);
        assertThat(printed)
                .containsPattern("  recorded messages\\S*\\|\\d+\\|-?\\d+\n  restored messages\\S*\\|\\d+\\|-?\\d+\n")
                .endsWith("The drill has failed.\n");
    }
}
