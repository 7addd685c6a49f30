package chat.bench.targets;

import chat.bench.platform.LoadResult;
import chat.bench.platform.Loads;
import chat.bench.platform.MeasurementFailure;
import chat.bench.platform.Metrics;
import chat.bench.platform.Platform;
import chat.bench.platform.Platforms;
import chat.bench.result.Medians;
import chat.bench.targets.TargetPlan.Part;
import chat.kit.metrics.PrometheusText;
import chat.load.lab.child.Child;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** Measures the parts of the table and prints each row when it is known. */
final class TargetTable implements AutoCloseable {
    private static final String ONE = "one";
    static final String CENTRIFUGO = "centrifugo";
    private static final int PORT = 8081;
    private static final int MEMORY_PORT = 24_000;
    private static final int CENTRIFUGO_PORT = 8000;
    private static final String SESSIONS = "chat_sessions";
    private static final int MEMBERS = 50;
    private static final int FEW_ROOMS = 2;
    private static final int MANY_ROOMS = 100;
    private static final double IDLE_CONNECTIONS = MANY_ROOMS * MEMBERS;
    private static final long KILOBYTES_PER_MEGABYTE = 1024;
    /** An idle server collects every 30 s and returns free heap to the system (G1PeriodicGCInterval). */
    private static final Duration RETURNING_MEMORY = Duration.ofSeconds(130);

    private static final long POLL_MILLIS = 200;
    private static final String ACK = "frame to ACK";
    private static final String DELIVERY = "frame to delivery at others";
    private static final String WELCOME = "JOIN to WELCOME";
    private static final List<String> TO_ONE = List.of("--url", "ws://127.0.0.1:" + PORT, "--history-url", "none");

    private static final List<Offered> OFFERED = List.of(
            new Offered(5000, "2", "8"),
            new Offered(2000, "1.5", "5"),
            new Offered(500, "0.7", "2.5"),
            new Offered(50, "1.2", "4"),
            new Offered("250 rooms of two, 500/s", 500, List.of("--rooms", "250", "--users", "2"), "0.6", "2.5"));

    private final Platforms platforms;
    private final Loads loads;
    private final Metrics metrics = new Metrics();
    private final int runs;
    private final boolean withCentrifugo;
    private final Consumer<String> out;
    private @Nullable Platform one;

    /** A measurement of one run. */
    private interface Step {
        void run() throws IOException, InterruptedException;
    }

    /**
     * @param withCentrifugo whether the chat alternates with Centrifugo
     * @param out receives each line
     */
    TargetTable(Platforms platforms, int runs, boolean withCentrifugo, Consumer<String> out) {
        this.platforms = platforms;
        this.loads = new Loads(platforms);
        this.runs = runs;
        this.withCentrifugo = withCentrifugo;
        this.out = out;
    }

    void print(List<Part> parts) throws IOException, InterruptedException {
        out.accept(platforms.own().describe());
        out.accept("");
        TargetRow.HEADER.forEach(out);
        for (Part part : parts) {
            switch (part) {
                case CHAT -> chat();
                case OFFERED -> offered();
                case CONNECTIONS -> connections();
                case STANDARD -> standard();
                case IDLE -> idle();
            }
        }
    }

    private void times(Step step) throws IOException, InterruptedException {
        for (int run = 0; run < runs; run++) step.run();
    }

    private void row(String name, String target, String unit, int decimals, List<Double> values) {
        out.accept(new TargetRow(name, target, unit, decimals).of(values));
    }

    private <T> void row(
            String name, String target, String unit, int decimals, List<T> results, ToDoubleFunction<T> value) {
        row(
                name,
                target,
                unit,
                decimals,
                results.stream().map(value::applyAsDouble).toList());
    }

    private void cores(List<LoadResult> results) {
        out.accept(TargetRow.ofCores(results.stream().map(Cores::of).toList()));
    }

    // One server, the consumer paused

    /** Starts the platform of the chat and the connections and warms it up, unless it already runs. */
    private void startOne() throws IOException, InterruptedException {
        if (one != null) return;
        Platform started = platforms.start(ONE, PORT, 1, Map.of());
        one = started;
        platforms.pauseConsumer(started);
        // A cold server reaches about 60 % of its throughput.
        toOne("fanout", List.of("--window", "1", "--warm-up", "200+200+200", "--messages", "800"));
        toOne("fanout", List.of("--window", "16", "--warm-up", "200", "--messages", "1200"));
    }

    private void stopAll() {
        platforms.stopAll();
        one = null;
    }

    private LoadResult toOne(String scenario, List<String> options) throws IOException, InterruptedException {
        return loads.run(ONE, arguments(scenario, TO_ONE, options));
    }

    @SafeVarargs
    private static List<String> arguments(String scenario, List<String>... options) {
        List<String> all = new ArrayList<>(List.of(scenario));
        for (List<String> each : options) all.addAll(each);
        return all;
    }

    private void chat() throws IOException, InterruptedException {
        startOne();
        List<LoadResult> window1 = new ArrayList<>();
        List<LoadResult> peerWindow1 = new ArrayList<>();
        times(() -> {
            window1.add(toOne("fanout", List.of("--window", "1", "--warm-up", "300", "--messages", "900")));
            if (withCentrifugo)
                peerWindow1.add(toCentrifugo(List.of("--window", "1", "--warm-up", "100", "--messages", "200")));
        });
        if (withCentrifugo) {
            row("Centrifugo, window 1", "", "messages/s", 0, peerWindow1, LoadResult::rate);
            ratios("Confab to Centrifugo", "3", window1, peerWindow1);
        }
        rates("window 1", "45,000", "0.5", window1);

        List<LoadResult> window16 = new ArrayList<>();
        times(() -> window16.add(toOne("fanout", List.of("--window", "16", "--warm-up", "400", "--messages", "1800"))));
        rates("window 16", "120,000", "0.2", window16);
    }

    // The same at rates that leave processors idle

    /** @param size options for rooms and their members */
    private record Offered(String name, int rate, List<String> size, String p50Target, String p99Target) {
        private Offered(int rate, String p50Target, String p99Target) {
            this(String.format(Locale.ROOT, "%,d/s", rate), rate, List.of(), p50Target, p99Target);
        }

        List<String> options(String warmUp) {
            List<String> options = new ArrayList<>(size);
            options.addAll(List.of("--warm-up", warmUp, "--rate", Integer.toString(rate), "--duration", "20s"));
            return options;
        }
    }

    private void offered() throws IOException, InterruptedException {
        startOne();
        for (Offered each : OFFERED) {
            List<LoadResult> results = new ArrayList<>();
            List<LoadResult> peerResults = new ArrayList<>();
            times(() -> {
                results.add(toOne("fanout", each.options("200")));
                if (withCentrifugo) peerResults.add(toCentrifugo(each.options("100")));
            });
            latencies(each.name() + ": frame to delivery, p50", each.p50Target(), each.p99Target(), results, DELIVERY);
            cores(results);
            if (withCentrifugo)
                latencies("Centrifugo, " + each.name() + ": frame to delivery, p50", "", "", peerResults, DELIVERY);
        }
    }

    private void rates(String name, String target, String cpuTarget, List<LoadResult> results) {
        row(name, target, "messages/s", 0, results, LoadResult::rate);
        row("CPU of the servers per delivery", cpuTarget, "µs", 2, results, LoadResult::cpuMicrosPerDelivery);
        cores(results);
    }

    private void latencies(String name, String p50Target, String p99Target, List<LoadResult> results, String latency) {
        row(name, p50Target, "ms", 2, results, load -> load.latency(latency).p50());
        row("p99", p99Target, "ms", 2, results, load -> load.latency(latency).p99());
    }

    private void ratios(String name, String target, List<LoadResult> results, List<LoadResult> others) {
        row(name, target, "", 2, Medians.ratios(allRates(results), allRates(others)));
    }

    private static List<Double> allRates(List<LoadResult> results) {
        return results.stream().map(LoadResult::rate).toList();
    }

    /** Starts Centrifugo, runs a load on it and stops it. */
    private LoadResult toCentrifugo(List<String> options) throws IOException, InterruptedException {
        Child server = loads.startPeer(CENTRIFUGO);
        try {
            while (!listens(CENTRIFUGO_PORT)) {
                if (!server.isAlive())
                    throw new MeasurementFailure("Centrifugo exited: " + String.join("\n", server.lastLines(5)));
                pause();
            }
            return loads.run(
                    CENTRIFUGO,
                    arguments(
                            "fanout",
                            List.of("--driver", CENTRIFUGO, "--url", "ws://127.0.0.1:" + CENTRIFUGO_PORT),
                            options));
        } finally {
            loads.stopPeer(server);
        }
    }

    private static boolean listens(int port) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1_000);
            return true;
        } catch (IOException notYet) {
            return false;
        }
    }

    private void connections() throws IOException, InterruptedException {
        startOne();
        for (int rate : List.of(1000, 100)) {
            List<LoadResult> results = new ArrayList<>();
            Step connect = () -> results.add(toOne(
                    "capacity",
                    List.of(
                            "--rooms",
                            "200",
                            "--users",
                            "50",
                            "--rooms-per-client",
                            "1",
                            "--rate",
                            "10",
                            "--connect-rate",
                            Integer.toString(rate),
                            "--duration",
                            "8s")));
            // The slow one takes long and hardly varies.
            if (rate == 100) connect.run();
            else times(connect);
            row(
                    String.format(Locale.ROOT, "10,000 connections, %,d per second: JOIN to WELCOME, p99", rate),
                    "320",
                    "ms",
                    2,
                    results,
                    load -> load.latency(WELCOME).p99());
        }
    }

    // The standard run

    private void standard() throws IOException, InterruptedException {
        stopAll();
        var unused = platforms.start("durable", PORT, 1, Map.of());
        unused = platforms.start("memory", MEMORY_PORT, 0, Map.of("JDK_JAVA_OPTIONS", "-Xmx1g"));
        List<LoadResult> durable = new ArrayList<>();
        List<LoadResult> memory = new ArrayList<>();
        for (int run = 0; run < runs; run++) {
            // Alternates which of the two runs first.
            if (run % 2 == 0) durable.add(standard("durable", PORT));
            memory.add(standard("memory", MEMORY_PORT));
            if (run % 2 == 1) durable.add(standard("durable", PORT));
        }
        row("standard run: the chat", "30", "s", 2, durable, load -> load.seconds("chat"));
        row("all rows stored and compared after", "60", "s", 2, durable, load -> load.seconds("storage"));
        row("messages", "", "/s", 0, durable, LoadResult::rate);
        latencies("frame to ACK, p50", "", "", durable, ACK);
        row("the same with a log in memory: messages", "", "/s", 0, memory, LoadResult::rate);
        ratios("durable to in memory", "0.85", durable, memory);
    }

    private LoadResult standard(String platform, int port) throws IOException, InterruptedException {
        return loads.run(platform, List.of("baseline", "--url", "ws://127.0.0.1:" + port, "--warm-up", "600+300"));
    }

    // Idle connections

    /** Holds the memory of a server: just started, with few connections, with many, and after they left. */
    private record IdleRun(ServerMemory before, ServerMemory few, ServerMemory with, ServerMemory after) {
        double perConnection(ToDoubleFunction<ServerMemory> kilobytes, ServerMemory without) {
            return (kilobytes.applyAsDouble(with) - kilobytes.applyAsDouble(without)) / IDLE_CONNECTIONS;
        }
    }

    private void idle() throws IOException, InterruptedException {
        stopAll();
        List<IdleRun> results = new ArrayList<>();
        times(() -> results.add(idleRun()));
        ToDoubleFunction<ServerMemory> process = ServerMemory::residentKilobytes;
        row(
                "each of 5,000 idle connections: memory of the process",
                "12",
                "kB",
                1,
                results,
                run -> run.perConnection(process, run.before()));
        row(
                "compared with the same server after they left",
                "12",
                "kB",
                1,
                results,
                run -> run.perConnection(process, run.after()));
        row("heap", "", "kB", 1, results, run -> run.perConnection(ServerMemory::heapKilobytes, run.before()));
        row(
                "server just started: heap",
                "",
                "MB",
                0,
                results,
                run -> mega(run.before().heapKilobytes()));
        row(
                "memory of the process",
                "",
                "MB",
                0,
                results,
                run -> mega(run.before().residentKilobytes()));
        row(
                "with 5,000: memory of the process",
                "200",
                "MB",
                0,
                results,
                run -> mega(run.with().residentKilobytes()));
        row("after they left", "", "MB", 0, results, run -> mega(run.after().residentKilobytes()));
        row("threads with 100", "", "", 0, results, run -> run.few().threads());
        row("with 5,000", "", "", 0, results, run -> run.with().threads());
    }

    private static long mega(long kilobytes) {
        return kilobytes / KILOBYTES_PER_MEGABYTE;
    }

    private IdleRun idleRun() throws IOException, InterruptedException {
        Platform platform = platforms.start(ONE, PORT, 1, Map.of());
        long server = platform.servers().getFirst();
        ServerMemory before = memory(server);
        ServerMemory few = holding(FEW_ROOMS, server);
        ServerMemory with = holding(MANY_ROOMS, server);
        ServerMemory after = memory(server);
        stopAll();
        return new IdleRun(before, few, with, after);
    }

    private ServerMemory memory(long server) throws IOException, InterruptedException {
        TimeUnit.NANOSECONDS.sleep(RETURNING_MEMORY.toNanos());
        return ServerMemory.of(server);
    }

    /** Measures the server's memory while idle connections are open in the rooms; returns when they have closed. */
    private ServerMemory holding(int rooms, long server) throws IOException, InterruptedException {
        Loads.Running load = loads.start(
                ONE,
                arguments(
                        "capacity",
                        TO_ONE,
                        List.of(
                                "--rooms",
                                Integer.toString(rooms),
                                "--users",
                                Integer.toString(MEMBERS),
                                "--rooms-per-client",
                                "1",
                                "--rate",
                                "1",
                                "--connect-rate",
                                "500",
                                "--duration",
                                "3m")));
        long connections = (long) rooms * MEMBERS;
        while (sessions() != connections) {
            if (!load.isAlive()) throw new MeasurementFailure("The load ended before all connections were open.");
            pause();
        }
        ServerMemory memory = memory(server);
        var unused = load.await();
        return memory;
    }

    private long sessions() throws InterruptedException {
        return Math.round(metrics.read(List.of(PORT), Set.of(SESSIONS)).stream()
                .mapToDouble(PrometheusText.Value::value)
                .sum());
    }

    private void pause() throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
    }

    @Override
    public void close() {
        metrics.close();
    }
}
