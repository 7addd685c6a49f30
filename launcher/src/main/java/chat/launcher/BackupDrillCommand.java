package chat.launcher;

import chat.launcher.platform.ChildProgram;
import chat.launcher.platform.StartFailure;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Runs {@code infra/drills/backup}. */
@Command(
        name = "drill-backup",
        mixinStandardHelpOptions = true,
        description =
                "Destroys a scratch database, restores it with the scripts of infra/backup, and compares all tables.")
final class BackupDrillCommand implements Callable<Integer> {
    @Option(names = "--rows", description = "rows in the database before the base backup (default: ${DEFAULT-VALUE})")
    int rows = 200_000;

    @Option(names = "--rate", description = "approximate rows written per second (default: ${DEFAULT-VALUE})")
    int rate = 2_000;

    @Option(
            names = "--archive-timeout",
            paramLabel = "SECONDS",
            description = "as in infra/backup/configure (default: ${DEFAULT-VALUE})")
    int archiveTimeout = 10;

    @Option(
            names = "--seconds",
            description = "time to continue writing after the recorded point is archived (default: ${DEFAULT-VALUE})")
    int seconds = 5;

    @Option(names = "--keep", description = "keeps the backups, the restored data and the logs")
    boolean keep;

    @Option(names = "--tamper", description = "changes one restored row before the comparison: the drill must fail")
    boolean tamper;

    @CommandLine.Spec
    CommandLine.Model.@Nullable CommandSpec spec;

    @Override
    public Integer call() throws IOException, InterruptedException {
        require("--rows", rows);
        require("--rate", rate);
        require("--archive-timeout", archiveTimeout);
        require("--seconds", seconds);
        PrintStream out = System.out;
        Path root = ChildProgram.directoryOfPrograms();
        BackupDrill.Size size = new BackupDrill.Size(rows, rate, archiveTimeout, seconds);
        try (BackupDrill drill = new BackupDrill(root, size, keep, out)) {
            drill.run(tamper);
            out.println("The drill has passed.");
            return 0;
        } catch (StartFailure failure) {
            System.err.println(failure.getMessage());
            return 2;
        } catch (DrillFailure failure) {
            System.err.println(failure.getMessage());
            System.err.println("The drill has failed.");
            return 1;
        }
    }

    private void require(String option, int value) {
        if (value < 1) throw Usage.wrong(spec, option + " must be a whole number, 1 or more, not " + value);
    }
}
