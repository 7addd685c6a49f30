package chat.load;

import chat.load.dialect.Dialect;
import chat.load.dialect.Dialects;
import chat.load.dialect.Tokens;
import chat.load.driver.ServerUrl;
import chat.load.lab.SamplingObserver;
import chat.load.lab.sample.SampleSettings;
import chat.load.lab.sample.Targets;
import chat.load.plan.Plan;
import chat.load.plan.PlanSettings;
import chat.load.plan.Scenario;
import chat.load.run.RunSettings;
import chat.load.run.ScenarioRun;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
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
        PlanSettings settings = settings();
        SampleSettings sampling = options.sampling.settings();
        List<URI> servers = options.urls.stream().map(ServerUrl::uri).toList();
        return new ScenarioRun(
                        runSettings(),
                        settings,
                        dialect,
                        tokens,
                        rate -> plan(settings, rate),
                        (history, samples, nanosSinceBegin) ->
                                new SamplingObserver(new Targets(servers, history), sampling, samples, nanosSinceBegin),
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
    private void dropReplacedDefaults() {
        CommandLine.ParseResult typed = spec.commandLine().getParseResult();
        boolean window = typed.hasMatchedOption("--window");
        boolean rate = typed.hasMatchedOption("--rate");
        boolean share = typed.hasMatchedOption("--share");
        // Rate and duration determine the number of messages; the scenario's own number could end the chat early.
        if ((rate || share) && typed.hasMatchedOption("--duration") && !typed.hasMatchedOption("--messages"))
            options.messages = null;
        if (!(window || rate || share)) return;
        if (!window) options.window = null;
        if (!rate) options.rate = null;
        if (!share) options.share = null;
    }

    RunSettings runSettings() {
        return orWrongUsage(
                () -> options.runSettings(spec.commandLine().getParseResult().originalArgs()));
    }

    private PlanSettings settings() {
        dropReplacedDefaults();
        return orWrongUsage(options::planSettings);
    }

    /** @param rate the measured rate in messages per second, or 0 if the options determine the rate */
    Plan plan(double rate) {
        return plan(settings(), rate);
    }

    private Plan plan(PlanSettings settings, double rate) {
        return orWrongUsage(() -> ScenarioRun.plan(scenario.name(), settings, rate));
    }

    private <T> T orWrongUsage(Supplier<T> values) {
        try {
            return values.get();
        } catch (IllegalArgumentException invalid) {
            throw new ParameterException(spec.commandLine(), String.valueOf(invalid.getMessage()), invalid);
        }
    }
}
