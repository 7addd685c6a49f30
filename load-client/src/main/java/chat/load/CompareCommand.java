package chat.load;

import chat.load.dialect.Dialects;
import chat.load.lab.child.CommandWords;
import chat.load.lab.matrix.Cell;
import chat.load.lab.matrix.Comparison;
import chat.load.lab.matrix.Comparison.Server;
import chat.load.lab.matrix.Load;
import chat.load.lab.matrix.Platform;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Implements {@code load compare}: runs one scenario against several servers and prints a table with ratios to the
 * first.
 */
@Command(
        name = "compare",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description =
                "Runs one scenario against several chat servers alternately, several times, with the same verification, "
                        + "and prints one table with ratios to the first.",
        footer = {
            "",
            "Example:",
            "  ./load compare --server confab=ws://127.0.0.1:8081 --server nats=ws://127.0.0.1:9222 \\",
            "      --start nats='nats-server -c nats.conf' --out compare-1 -- fanout --messages 200"
        })
final class CompareCommand implements Callable<Integer> {
    @Option(
            names = "--server",
            required = true,
            paramLabel = "NAME=URL",
            description = "A server, by the name of its driver, or NAME:DRIVER=URL; several URLs with commas. "
                    + "Repeat it for each server; ratios are to the first.")
    private List<String> servers = List.of();

    @Option(
            names = "--start",
            paramLabel = "NAME=COMMAND",
            description = "How to start that server for its own runs only, so that no server uses the machine "
                    + "during another's run; without a shell. {dir} becomes a directory of the run. Default: "
                    + "it already runs.")
    private List<String> starts = List.of();

    @Mixin
    private MatrixOptions matrix = new MatrixOptions();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws InterruptedException, IOException {
        return matrix.run("compare", this::cells, spec.commandLine());
    }

    private List<Cell> cells() {
        Map<String, Platform> platforms = new LinkedHashMap<>();
        for (String start : starts) {
            int equals = start.indexOf('=');
            if (equals < 1) throw new IllegalArgumentException("a start is given as NAME=COMMAND, not '" + start + "'");
            platforms.put(
                    start.substring(0, equals),
                    new Platform(CommandWords.split(start.substring(equals + 1)), Map.of()));
        }
        List<Server> compared = servers.stream().map(Server::parse).toList();
        for (Server server : compared)
            if (Dialects.named(server.driver()).isEmpty())
                throw new IllegalArgumentException("there is no driver '" + server.driver() + "', only "
                        + String.join(", ", Dialects.names()) + ": " + server.name() + ":DRIVER=URL names another one");
        return Comparison.cells(compared, platforms, new Load(matrix.scenario));
    }
}
