package chat.bench.pairs;

import chat.bench.platform.Checkout;
import chat.bench.platform.LoadResult;
import chat.bench.platform.Loads;
import chat.bench.platform.Metrics;
import chat.bench.platform.Platform;
import chat.bench.platform.Platforms;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** Runs loads on two platforms alternately and prints each run when it has ended. */
final class PairsMeasurement implements AutoCloseable {
    private static final int PORT_OF_A = 8081;
    private static final int PORT_OF_B = 11_081;
    private static final int MEMBERS = 1_000;
    /** Messages of each member. */
    private static final List<Integer> WARM_UP = List.of(200, 100);

    private static final int MESSAGES = 800;
    /** All messages of a run, warm-up included. */
    static final long ALL_MESSAGES =
            MEMBERS * (MESSAGES + WARM_UP.stream().mapToLong(Integer::longValue).sum());

    private final Platforms platforms;
    private final Loads loads;
    private final Metrics metrics = new Metrics();
    private final Checkout checkoutOfA;
    private final PairsPlan plan;
    private final int window;
    private final boolean counters;
    private final Consumer<String> out;

    /** One of the two platforms and what its runs have resulted in. */
    private record Side(Platform platform, List<Integer> ports, String placement, List<PairRun> runs) {}

    /**
     * @param window unacknowledged messages of each member
     * @param out receives each line
     */
    PairsMeasurement(
            Platforms platforms,
            Checkout checkoutOfA,
            PairsPlan plan,
            int window,
            boolean counters,
            Consumer<String> out) {
        this.platforms = platforms;
        this.loads = new Loads(platforms);
        this.checkoutOfA = checkoutOfA;
        this.plan = plan;
        this.window = window;
        this.counters = counters;
        this.out = out;
    }

    void print() throws IOException, InterruptedException {
        if (counters) PerfCounters.check();
        Platform platformA = platforms.start("A", checkoutOfA, PORT_OF_A, 1, Map.of());
        Platform platformB = platforms.start("B", PORT_OF_B, plan.servers(), plan.variables());
        platforms.pauseConsumer(platformA);
        platforms.pauseConsumer(platformB);
        Side a = new Side(platformA, List.of(PORT_OF_A), "partition", new ArrayList<>());
        Side b = new Side(
                platformB,
                IntStream.range(0, plan.servers()).mapToObj(i -> PORT_OF_B + i).toList(),
                plan.placementOption(),
                new ArrayList<>());
        for (int pair = 1 - plan.warmUps(); pair <= plan.pairs(); pair++) {
            // Alternates which of the two runs first.
            for (Side side : pair % 2 == 0 ? List.of(a, b) : List.of(b, a)) {
                PairRun run = run(side);
                if (pair > 0) side.runs().add(run);
            }
        }
        PairRun.medians(a.runs(), b.runs()).forEach(out);
    }

    private PairRun run(Side side) throws IOException, InterruptedException {
        Platform platform = side.platform();
        LogTimes logBefore = log(side);
        Duration serversBefore = Platform.cpu(platform.servers());
        Duration brokersBefore = Platform.cpu(platform.brokers());
        Path counts = platforms.file("counters");
        LoadResult load = loads.start(
                        platform.name(),
                        counters ? PerfCounters.prefix(platform.servers(), counts) : List.of(),
                        arguments(side))
                .await();
        PairRun run = new PairRun(
                load.rate(),
                micros(Platform.cpu(platform.servers()).minus(serversBefore)),
                micros(Platform.cpu(platform.brokers()).minus(brokersBefore)));
        List<String> perMessage = counters ? PerfCounters.perMessage(counts, ALL_MESSAGES) : List.of();
        Files.deleteIfExists(counts);
        out.accept(run.line(platform.name(), perMessage, log(side).since(logBefore), ALL_MESSAGES));
        return run;
    }

    private LogTimes log(Side side) throws InterruptedException {
        return LogTimes.of(metrics.read(side.ports(), LogTimes.METRICS));
    }

    private List<String> arguments(Side side) {
        List<String> arguments = new ArrayList<>(List.of("fanout"));
        for (int port : side.ports()) arguments.addAll(List.of("--url", "ws://127.0.0.1:" + port));
        arguments.addAll(List.of("--history-url", "none", "--placement", side.placement()));
        arguments.addAll(List.of(
                "--warm-up",
                String.join("+", WARM_UP.stream().map(String::valueOf).toList())));
        arguments.addAll(List.of("--messages", Integer.toString(MESSAGES), "--window", Integer.toString(window)));
        return arguments;
    }

    private static double micros(Duration cpu) {
        return cpu.toNanos() / 1e3 / ALL_MESSAGES;
    }

    @Override
    public void close() {
        metrics.close();
    }
}
