package chat.bench.pairs;

import chat.bench.platform.Checkout;
import chat.bench.platform.MeasurementFailure;
import chat.bench.platform.Platforms;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Runs {@code ./bench pairs}: compares several chat servers with one. */
@Command(
        name = "pairs",
        mixinStandardHelpOptions = true,
        customSynopsis =
                "./bench pairs [--counters] [--before DIR] [--window N] SERVERS PLACEMENT [PAIRS [WARM_UPS]] [VARIABLE=VALUE ...]",
        description = {
            "%nStarts two platforms: A with one chat server, and B with SERVERS chat servers and the variables. Runs the"
                    + " same load (20 rooms of 50 members) on A and B alternately, PAIRS times (default: 5), so"
                    + " that both see the same conditions on a shared machine. WARM_UPS pairs (default: 3) run first and"
                    + " are not counted, because each of several JVMs gets only part of the load that warms it up.",
            "%nPLACEMENT is partition or spread: how B's members are distributed. With partition, B's servers are standbys"
                    + " for each other, so each partition is read twice; CHAT_SERVER_KEPT_PARTITIONS= turns standby"
                    + " partitions off. The consumers are paused; the log keeps the messages.",
            "%nPrints for each run: messages per second; CPU of the servers and of RabbitMQ per message, including joining"
                    + " and the load client's warm-up; entries per second published to RabbitMQ and their confirm"
                    + " latency. Then prints the medians and the median ratios of the pairs. Needs Linux, RabbitMQ and an"
                    + " otherwise idle machine. A pair takes about 90 seconds.%n"
        })
public final class PairsCommand implements Callable<Integer> {
    @Parameters(
            arity = "0..*",
            hidden = true,
            description = "SERVERS PLACEMENT [PAIRS [WARM_UPS]] [VARIABLE=VALUE ...]")
    private List<String> words = new ArrayList<>();

    @Option(
            names = "--before",
            paramLabel = "DIR",
            description = "runs A from another checkout of Confab (git worktree add DIR COMMIT), to measure the changes"
                    + " since then")
    private @Nullable Path before;

    @Option(
            names = "--counters",
            description = "also counts, with perf, instructions, cycles, misses and context switches of the servers'"
                    + " threads per message. Counting adds cost to each context switch, more for several servers: do"
                    + " not use the ratios")
    private boolean counters;

    @Option(
            names = "--window",
            paramLabel = "N",
            description = "unacknowledged messages of each member, 1 to 1000 (default: ${DEFAULT-VALUE})")
    private int window = 1;

    @Spec
    private @Nullable CommandSpec spec;

    private PairsCommand() {}

    @Override
    public Integer call() throws IOException, InterruptedException {
        PairsPlan plan = plan();
        if (window < 1 || window > 1_000) throw wrong("--window must be 1 to 1000, not " + window, null);
        Consumer<String> out = System.out::println;
        Checkout own = Checkout.own();
        Checkout checkout = before == null ? own : new Checkout(before);
        if (!checkout.isComplete()) throw wrong("--before must be a checkout of Confab, not " + before, null);
        try (Platforms platforms = new Platforms(own);
                PairsMeasurement pairs = new PairsMeasurement(platforms, checkout, plan, window, counters, out)) {
            pairs.print();
            return 0;
        } catch (MeasurementFailure failure) {
            System.err.println(failure.getMessage());
            return 1;
        }
    }

    private PairsPlan plan() {
        try {
            return PairsPlan.parse(words);
        } catch (IllegalArgumentException wrong) {
            throw wrong(Objects.requireNonNull(wrong.getMessage()), wrong);
        }
    }

    private ParameterException wrong(String message, @Nullable Throwable cause) {
        return new ParameterException(Objects.requireNonNull(spec).commandLine(), message, cause);
    }
}
