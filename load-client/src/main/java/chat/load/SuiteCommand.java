package chat.load;

import chat.load.driver.ServerUrl;
import chat.load.plan.Scenario;
import chat.load.plan.Scenarios;
import chat.load.run.ExitCodes;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Implements {@code load suite}: runs a few scenarios one after the other. */
@Command(
        name = "suite",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Runs smoke, spike and capacity one after the other and prints which passed. A failed scenario "
                + "does not stop the others; one that cannot run does.")
final class SuiteCommand implements Callable<Integer> {
    private static final List<String> SCENARIOS = List.of("smoke", "spike", "capacity");

    @Option(
            names = "--url",
            required = true,
            paramLabel = "URL",
            description = "A chat server, ws://host:port; repeat it for several servers.")
    private List<ServerUrl> urls = List.of();

    @Option(names = "--out", paramLabel = "DIR", description = "Folder for a report of each scenario.")
    private @Nullable Path out;

    @Parameters(
            arity = "0..*",
            paramLabel = "OPTION",
            description = "After --: options for every scenario, such as --history-url URL.")
    private List<String> options = List.of();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() {
        PrintWriter terminal = spec.commandLine().getOut();
        Map<String, Integer> exits = new LinkedHashMap<>();
        for (String name : SCENARIOS) {
            int exit = run(name);
            exits.put(name, exit);
            if (exit == ExitCodes.UNUSABLE) break;
        }
        terminal.println();
        exits.forEach((name, exit) -> terminal.printf("%-10s %s%n", name, outcome(exit)));
        terminal.flush();
        return exits.values().stream()
                .filter(exit -> exit != ExitCodes.PASSED)
                .findFirst()
                .orElse(ExitCodes.PASSED);
    }

    private int run(String name) {
        Scenario scenario = Scenarios.ALL.stream()
                .filter(one -> one.name().equals(name))
                .findFirst()
                .orElseThrow();
        List<String> arguments = new ArrayList<>();
        for (ServerUrl url : urls) arguments.addAll(List.of("--url", url.toString()));
        if (out != null) arguments.addAll(List.of("--out", out.resolve(name).toString()));
        arguments.addAll(options);
        CommandLine line = ChatCommand.of(scenario);
        OptionTypes.register(line);
        CommandLine suite = spec.commandLine();
        return line.setOut(suite.getOut())
                .setErr(suite.getErr())
                .setParameterExceptionHandler(suite.getParameterExceptionHandler())
                .execute(arguments.toArray(String[]::new));
    }

    private static String outcome(int exit) {
        return switch (exit) {
            case ExitCodes.PASSED -> "PASS";
            case ExitCodes.FAILED -> "FAIL";
            default -> "not judged";
        };
    }
}
