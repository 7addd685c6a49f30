package chat.load;

import chat.load.plan.Scenario;
import chat.load.plan.Scenarios;
import chat.load.run.ExitCodes;
import chat.protocol.PrintableOutput;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help;

/**
 * Entry point of the command {@code load}. Exit codes: 0 all checks passed, 1 a check failed, 2 wrong usage or no
 * server reachable.
 */
@Command(
        name = "load",
        mixinStandardHelpOptions = true,
        version = "Confab load client",
        description = "Load-tests running chat servers and checks every message.",
        footer = {
            "",
            "Exit codes: 0 every check passed; 1 a message is missing, duplicated or out of order, or another check failed;",
            "2 wrong usage, or a server cannot be reached."
        })
public final class LoadClient {
    private LoadClient() {}

    public static void main(String[] arguments) {
        PrintableOutput.install();
        System.exit(commandLine().execute(arguments));
    }

    static CommandLine commandLine() {
        CommandLine load = new CommandLine(new LoadClient());
        for (Scenario scenario : Scenarios.ALL) load.addSubcommand(ChatCommand.of(scenario));
        load.addSubcommand(new QueriesCommand());
        load.addSubcommand(new SuiteCommand());
        load.addSubcommand(new SweepCommand());
        load.addSubcommand(new CompareCommand());
        load.addSubcommand(new SelfCommand());
        load.addSubcommand(new ReportCommand());
        OptionTypes.register(load);
        load.setColorScheme(Help.defaultColorScheme(Help.Ansi.OFF)); // control characters are not printed
        return load.setParameterExceptionHandler((wrong, arguments) -> {
            wrong.getCommandLine().getErr().println("load: " + wrong.getMessage());
            return ExitCodes.UNUSABLE;
        });
    }
}
