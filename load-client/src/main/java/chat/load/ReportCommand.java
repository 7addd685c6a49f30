package chat.load;

import chat.load.report.RunComparison;
import chat.load.report.UnreadableRun;
import chat.load.run.ExitCodes;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Implements {@code load report}: shows several finished runs on one page. */
@Command(
        name = "report",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Compares finished runs in one offline HTML file: differences of their plans, figures with ratios to the "
                    + "first run, charts on top of each other, and for a sweep the results by setting."
        })
final class ReportCommand implements Callable<Integer> {
    @Parameters(
            arity = "1..*",
            paramLabel = "FOLDER",
            description = "Folders that --out of runs named, or folders of such folders, as a sweep leaves them.")
    private List<Path> folders = List.of();

    @Option(names = "--out", paramLabel = "DIR", description = "Where comparison.html goes. Default: the first folder.")
    private @Nullable Path out;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() {
        try {
            Path to = out == null ? folders.getFirst() : out;
            spec.commandLine().getOut().println("written: " + RunComparison.write(folders, to));
            return ExitCodes.PASSED;
        } catch (UnreadableRun wrong) {
            spec.commandLine().getErr().println("load: " + wrong.getMessage());
        } catch (IOException unwritable) {
            spec.commandLine().getErr().println("load: the comparison cannot be written: " + unwritable.getMessage());
        }
        return ExitCodes.UNUSABLE;
    }
}
