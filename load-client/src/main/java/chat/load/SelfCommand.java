package chat.load;

import chat.load.lab.self.SelfMeasurement;
import chat.load.plan.Numbering;
import chat.load.plan.Plan;
import chat.load.run.ExitCodes;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Implements {@code load self}: measures how much the load client can verify on this machine. */
@Command(
        name = "self",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        showDefaultValues = true,
        description =
                "Measures the load client itself: a built-in server returns the members' messages as fast as they are "
                        + "read, and every delivery is verified. The first rounds warm up; the median of the others counts.")
final class SelfCommand implements Callable<Integer> {
    @Option(
            names = "--frames",
            split = ",",
            defaultValue = "100,1",
            paramLabel = "N",
            description = "How many messages the server puts into one frame; one measurement for each.")
    private List<Integer> frames = List.of();

    @Option(names = "--rooms", defaultValue = "2", paramLabel = "N", description = "Rooms.")
    private int rooms = 2;

    @Option(names = "--users", defaultValue = "250", paramLabel = "N", description = "Members of each room.")
    private int users = 250;

    @Option(names = "--messages", defaultValue = "40", paramLabel = "N", description = "TEXTs of each member.")
    private int messages = 40;

    @Option(names = "--payload", defaultValue = "100", paramLabel = "BYTES", description = "Length of each text.")
    private int payload = 100;

    @Option(
            names = "--rounds",
            defaultValue = "5",
            paramLabel = "N",
            description = "Rounds that count, after two that don't.")
    private int rounds = 5;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws InterruptedException {
        Plan plan;
        try {
            if (rounds < 1 || messages < 1 || frames.stream().anyMatch(n -> n < 1))
                throw new IllegalArgumentException("rounds, messages and messages per frame must be at least 1");
            plan = SelfMeasurement.plan(new Numbering(rooms, users, messages), payload);
        } catch (IllegalArgumentException nonsense) {
            throw new ParameterException(spec.commandLine(), String.valueOf(nonsense.getMessage()), nonsense);
        }
        Numbering size = plan.numbering();
        PrintWriter out = spec.commandLine().getOut();
        out.printf(
                Locale.ROOT,
                "%,d deliveries a round, to %,d connections in %,d rooms; one event loop, and a server beside it%n",
                (long) size.total() * users,
                size.members(),
                rooms);
        out.printf("%-20s %24s %20s %14s%n", "messages per frame", "deliveries/s per core", "deliveries/s", "frames");
        boolean passed = true;
        for (int textsPerFrame : frames) passed &= measure(plan, textsPerFrame, out);
        out.println("per core: by the CPU time of the event loop, sends and kernel included; all verified id by id");
        return passed ? ExitCodes.PASSED : ExitCodes.FAILED;
    }

    private boolean measure(Plan plan, int textsPerFrame, PrintWriter out) throws InterruptedException {
        SelfMeasurement.Round median = SelfMeasurement.median(plan, textsPerFrame, rounds);
        if (!median.failures().isEmpty()) {
            out.printf(Locale.ROOT, "%-20d FAIL  %s%n", textsPerFrame, String.join("; ", median.failures()));
            return false;
        }
        out.printf(
                Locale.ROOT,
                "%-20d %,24.0f %,20.0f %,14d%n",
                textsPerFrame,
                median.deliveriesPerCoreSecond(),
                median.deliveriesPerSecond(),
                median.frames());
        out.flush();
        return true;
    }
}
