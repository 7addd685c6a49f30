package chat.load;

import chat.load.dialect.Dialect;
import chat.load.dialect.Dialects;
import chat.load.dialect.Tokens;
import chat.load.plan.Plan;
import chat.load.plan.Scenario;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Runs one chat scenario. All chat scenarios share the same options; each scenario supplies its own defaults. */
@Command(mixinStandardHelpOptions = true, sortOptions = false, showDefaultValues = true)
final class ChatCommand implements Callable<Integer> {
    private final Scenario scenario;

    @Mixin
    private final ChatOptions options = new ChatOptions();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    private ChatCommand(Scenario scenario) {
        this.scenario = scenario;
    }

    static CommandLine of(Scenario scenario) {
        CommandLine line = new CommandLine(new ChatCommand(scenario));
        CommandSpec spec = line.getCommandSpec().name(scenario.name());
        spec.usageMessage().description(scenario.about());
        for (String option : scenario.defaults().keySet()) {
            if (spec.findOption("--" + option) == null)
                throw new IllegalStateException(scenario.name() + " has a default for no option: " + option);
        }
        line.setDefaultValueProvider(new Defaults(scenario));
        return line;
    }

    /** Supplies the scenario's defaults, except those that conflict with an option given on the command line. */
    private record Defaults(Scenario scenario) implements CommandLine.IDefaultValueProvider {
        @Override
        public @Nullable String defaultValue(ArgSpec argument) {
            return argument instanceof OptionSpec option
                    ? scenario.defaults().get(option.longestName().substring(2))
                    : null;
        }
    }

    @Override
    public Integer call() throws InterruptedException {
        Dialect dialect = Dialects.named(options.driver)
                .orElseThrow(() -> new ParameterException(
                        spec.commandLine(),
                        "there is no driver '" + options.driver + "', only " + String.join(", ", Dialects.names())));
        Tokens tokens = tokens();
        if (tokens != null) dialect = Dialects.confab(tokens);
        List<String> arguments = spec.commandLine().getParseResult().originalArgs();
        return new ScenarioRun(
                        scenario.name(),
                        options,
                        dialect,
                        tokens,
                        rate -> plan(rate),
                        arguments,
                        spec.commandLine().getOut(),
                        spec.commandLine().getErr())
                .run();
    }

    private @Nullable Tokens tokens() {
        Path key = options.tokenKey;
        if (key == null) return null;
        if (!options.driver.equals(Dialects.confab().name()))
            throw new ParameterException(spec.commandLine(), "--token-key goes with Confab's own servers");
        try {
            return new Tokens(Files.readString(key));
        } catch (IOException | IllegalArgumentException unusable) {
            throw new ParameterException(spec.commandLine(), "--token-key: " + unusable, unusable);
        }
    }

    /** Removes the scenario's own pace if the user gave another one. */
    private void dropWhatWasReplaced() {
        CommandLine.ParseResult typed = spec.commandLine().getParseResult();
        boolean window = typed.hasMatchedOption("--window");
        boolean rate = typed.hasMatchedOption("--rate");
        boolean share = typed.hasMatchedOption("--share");
        // Rate and duration together determine the number of messages. The scenario's own number could end the chat
        // early.
        if ((rate || share) && typed.hasMatchedOption("--duration") && !typed.hasMatchedOption("--messages"))
            options.messages = null;
        if (!(window || rate || share)) return;
        if (!window) options.window = null;
        if (!rate) options.rate = null;
        if (!share) options.share = null;
    }

    /** @param rate the measured rate in messages per second, or 0 if the options determine the rate */
    Plan plan(double rate) {
        dropWhatWasReplaced();
        try {
            return Plans.of(scenario.name(), options, rate);
        } catch (IllegalArgumentException nonsense) {
            throw new ParameterException(spec.commandLine(), String.valueOf(nonsense.getMessage()), nonsense);
        }
    }
}
