package chat.load;

import chat.load.lab.child.CommandWords;
import chat.load.lab.matrix.Axis;
import chat.load.lab.matrix.Cell;
import chat.load.lab.matrix.Load;
import chat.load.lab.matrix.Platform;
import chat.load.lab.matrix.Sweep;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Implements {@code load sweep}: runs one scenario for each value of a setting, on a platform restarted for each run.
 */
@Command(
        name = "sweep",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description =
                "Runs one scenario for each value of one or several settings, several times, on a platform that is "
                        + "restarted for each run, and prints one table.",
        footer = {
            "",
            "Example:",
            "  ./load sweep --set CHAT_RABBITMQ_PARTITIONS=1,2,4 --option window=1,16 --platform './run --servers 2 --open' \\",
            "      --out sweep-1 -- fanout --messages 100 --url ws://127.0.0.1:8081 --url ws://127.0.0.1:8082"
        })
final class SweepCommand implements Callable<Integer> {
    @Option(
            names = "--set",
            paramLabel = "NAME=A,B",
            description = "An environment variable of the platform, and its values; repeat it for several. A comma "
                    + "within a value is \\,.")
    private List<String> environment = List.of();

    @Option(
            names = "--option",
            paramLabel = "NAME=A,B",
            description = "An option of the scenario without its dashes, and its values; repeat it for several.")
    private List<String> options = List.of();

    @Option(
            names = "--one-at-a-time",
            description = "Vary one setting while the others keep their first values. Default: each with each.")
    private boolean oneAtATime;

    @Option(
            names = "--platform",
            paramLabel = "COMMAND",
            description = "What to start before each run and to stop after it, without a shell. {dir} becomes a "
                    + "directory of the run; ./run gets it as --dir unless it has one. Default: it already "
                    + "runs.")
    @Nullable
    private String platform;

    @Option(
            names = "--ready",
            paramLabel = "URL",
            description = "Must be ready before the load begins, besides /health of each --url: "
                    + "http://host:port/path that answers, or tcp://host:port that listens; repeat it for "
                    + "several.")
    private List<String> ready = List.of();

    @Mixin
    private MatrixOptions matrix = new MatrixOptions();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws InterruptedException, IOException {
        return matrix.run("sweep", this::cells, spec.commandLine());
    }

    private List<Cell> cells() {
        List<Axis> axes = new ArrayList<>();
        for (String setting : environment) axes.add(Axis.parse(Axis.Kind.ENVIRONMENT, setting));
        for (String option : options) axes.add(Axis.parse(Axis.Kind.OPTION, option));
        Platform started = platform == null ? null : new Platform(CommandWords.split(platform), Map.of());
        List<Cell> cells = Sweep.cells(
                axes, oneAtATime, started, ready.stream().map(URI::create).toList(), new Load(matrix.scenario));
        Platform fresh = cells.getFirst().platform();
        if (fresh != null && fresh.keepsItsData())
            spec.commandLine()
                    .getErr()
                    .println("load: warning: without {dir} in --platform each run finds the data of the previous one");
        return cells;
    }
}
