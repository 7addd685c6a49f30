package chat.load;

import chat.load.lab.child.CommandWords;
import chat.load.lab.child.LoadClientCommand;
import chat.load.lab.matrix.Cell;
import chat.load.lab.matrix.MatrixPlan;
import chat.load.lab.matrix.MatrixRun;
import chat.load.lab.matrix.PlanTable;
import chat.load.lab.matrix.Result;
import chat.load.lab.matrix.Result.Outcome;
import chat.load.lab.matrix.ResultTable;
import chat.load.run.ExitCodes;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** Options that {@code sweep} and {@code compare} share: repeats, order, output folder and the run itself. */
final class MatrixOptions {
    /** PostgreSQL needs time to stop its backends, RabbitMQ to close its queues. */
    private static final Duration STOP = Duration.ofSeconds(60);

    @Option(
            names = "--repeats",
            defaultValue = "3",
            paramLabel = "N",
            description = "Runs of each that count. A repeat runs each once before the next repeat begins. Default: "
                    + "${DEFAULT-VALUE}.")
    private int repeats = 3;

    @Option(
            names = "--warm-ups",
            defaultValue = "1",
            paramLabel = "N",
            description = "Runs that do not count, before the first one on a platform that has just started or has "
                    + "no load yet. Default: ${DEFAULT-VALUE}.")
    private int warmUps = 1;

    @Option(
            names = "--shuffle",
            description = "Use another order in each repeat, so that none always follows the same other one. "
                    + "Default: as typed.")
    private boolean shuffled;

    @Option(names = "--seed", paramLabel = "N", description = "Seed of that order. Default: the clock.")
    @Nullable
    private Long seed;

    @Option(
            names = "--out",
            required = true,
            paramLabel = "DIR",
            description =
                    "A folder for everything, new or empty: the table as CSV and JSON, and a folder for each run.")
    private Path out = Path.of("");

    @Option(
            names = "--start-timeout",
            defaultValue = "2m",
            paramLabel = "TIME",
            description = "How long a platform may take to become ready. Default: ${DEFAULT-VALUE}.")
    private Duration startTimeout = Duration.ofMinutes(2);

    @Option(
            names = "--run-timeout",
            defaultValue = "30m",
            paramLabel = "TIME",
            description = "How long one run may take. Default: ${DEFAULT-VALUE}.")
    private Duration runTimeout = Duration.ofMinutes(30);

    @Option(
            names = "--keep-data",
            description = "Keep what platforms have stored instead of deleting it after the run.")
    private boolean keepData;

    @Option(
            names = "--latency",
            paramLabel = "NAME",
            description = "The latency to show; files contain all. Default: frame to delivery at others.")
    @Nullable
    private String latency;

    @Option(
            names = "--client",
            paramLabel = "COMMAND",
            description = "The load client to start for each run. Default: this one, with the same JVM options.")
    @Nullable
    private String client;

    @Option(names = "--dry-run", description = "Only print what would run.")
    private boolean dryRun;

    @Parameters(
            arity = "0..*",
            paramLabel = "SCENARIO",
            description = "After --: a scenario of this load client and its options.")
    List<String> scenario = List.of();

    /**
     * @param title first part of the result files' names
     * @param cells the cells to run; may throw IllegalArgumentException
     * @return the exit code
     */
    int run(String title, Supplier<List<Cell>> cells, CommandLine line) throws InterruptedException, IOException {
        PrintWriter terminal = line.getOut();
        MatrixPlan plan;
        List<String> command;
        try {
            command = client == null ? LoadClientCommand.own(LoadClient.class) : CommandWords.split(client);
            plan = new MatrixPlan(
                    title,
                    cells.get(),
                    repeats,
                    warmUps,
                    shuffled,
                    seed == null ? System.nanoTime() : seed,
                    out,
                    new MatrixPlan.Limits(startTimeout, runTimeout, STOP),
                    keepData);
            if (!dryRun) requireEmpty(out);
        } catch (IllegalArgumentException nonsense) {
            throw new ParameterException(line, String.valueOf(nonsense.getMessage()), nonsense);
        }
        if (dryRun) {
            terminal.print(PlanTable.of(plan, command));
            terminal.flush();
            return ExitCodes.PASSED;
        }
        say(terminal, PlanTable.headline(plan));
        List<Result> results = new MatrixRun(plan, command, text -> say(terminal, text)).run();
        say(terminal, ResultTable.of(plan, results, latency).stripTrailing());
        say(terminal, "written: " + out.resolve(title + ".csv") + ", " + out.resolve(title + ".json"));
        say(terminal, "side by side: ./load report " + out);
        return exitCode(results);
    }

    /** Results of two sweeps in one folder could not be distinguished. */
    private static void requireEmpty(Path folder) throws IOException {
        if (!Files.exists(folder)) return;
        if (!Files.isDirectory(folder)) throw new IllegalArgumentException(folder + " is no folder");
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder)) {
            if (entries.iterator().hasNext()) throw new IllegalArgumentException(folder + " is not empty");
        }
    }

    private static int exitCode(List<Result> results) {
        if (results.stream().allMatch(result -> result.outcome() == Outcome.NOT_JUDGED)) return ExitCodes.UNUSABLE;
        return results.stream().allMatch(result -> result.outcome() == Outcome.PASS)
                ? ExitCodes.PASSED
                : ExitCodes.FAILED;
    }

    private static void say(PrintWriter terminal, String text) {
        terminal.println(text);
        terminal.flush();
    }
}
