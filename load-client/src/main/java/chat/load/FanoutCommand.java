package chat.load;

import chat.load.plan.Numbering;
import chat.load.plan.Pacing;
import chat.load.plan.Plan;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code load fanout}: everybody in every room says something, and everybody in the room has to hear it. */
@Command(
        name = "fanout",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Rooms full of members who all talk: each message has to be accepted, stored once, and received "
                + "once by every member of its room, in one order.")
final class FanoutCommand implements Callable<Integer> {
    @Option(names = "--rooms", defaultValue = "20", paramLabel = "N", description = "Default: ${DEFAULT-VALUE}.")
    private int rooms = 20;

    @Option(
            names = "--users",
            defaultValue = "50",
            paramLabel = "N",
            description = "Members of each room, each with a connection of its own. Default: ${DEFAULT-VALUE}.")
    private int users = 50;

    @Option(
            names = "--messages",
            defaultValue = "50",
            paramLabel = "N",
            description = "TEXTs that each member sends. Default: ${DEFAULT-VALUE}.")
    private int messages = 50;

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws InterruptedException {
        return new ScenarioRun(
                        plan(),
                        common,
                        spec.commandLine().getParseResult().originalArgs(),
                        spec.commandLine().getOut(),
                        spec.commandLine().getErr())
                .run();
    }

    private Plan plan() {
        try {
            if (common.threads < 1) throw new IllegalArgumentException("threads must be at least 1");
            return new Plan(
                    "fanout",
                    new Numbering(rooms, users, messages),
                    common.payload,
                    new Pacing.Window(common.window),
                    new Pacing.Rate(common.connectRate),
                    common.placement,
                    common.seed == null ? System.nanoTime() : common.seed,
                    Duration.ofSeconds(common.timeoutSeconds));
        } catch (IllegalArgumentException nonsense) {
            throw new ParameterException(spec.commandLine(), String.valueOf(nonsense.getMessage()), nonsense);
        }
    }
}
