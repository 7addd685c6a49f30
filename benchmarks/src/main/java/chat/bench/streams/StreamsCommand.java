package chat.bench.streams;

import chat.bench.result.ResultFiles;
import chat.nodes.Directories;
import chat.nodes.Ports;
import chat.nodes.RabbitNode;
import chat.nodes.RabbitSettings;
import chat.nodes.RabbitTuning;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;
import tools.jackson.databind.json.JsonMapper;

/** Runs {@code ./bench streams}: publishes to its own broker as the platform does, and reads in several ways. */
@Command(
        name = "streams",
        mixinStandardHelpOptions = true,
        description =
                "Reads RabbitMQ streams over AMQP 0-9-1 and the stream protocol: latency, CPU of broker and reader.")
public final class StreamsCommand implements Callable<Integer> {
    private static final String USUAL = "usual";

    @ParentCommand
    private @Nullable ResultFiles files;

    @Option(
            names = "--way",
            split = ",",
            description = "amqp:CREDIT or stream:arrival|half|nth:CREDITS[:crc]; default: eight different ways")
    private List<String> ways = List.of(
            "amqp:16",
            "amqp:64",
            "stream:arrival:1",
            "stream:arrival:10",
            "stream:arrival:50",
            "stream:arrival:10:crc",
            "stream:half:10",
            "stream:nth:10");

    @Option(names = "--bytes", split = ",", description = "size of an entry (default: 10000)")
    private List<Integer> bytes = List.of(10_000);

    @Option(names = "--rate", split = ",", description = "entries per second, over 4 streams (default: 800)")
    private List<Integer> rates = List.of(800);

    @Option(
            names = "--readers",
            split = ",",
            description = "connections that read all streams; 0: only publish (default: 1,4)")
    private List<Integer> readers = List.of(1, 4);

    @Option(names = "--repeats", description = "repetitions of all measurements; prints the median (default: 3)")
    private int repeats = 3;

    @Option(names = "--seconds", description = "duration of one measurement (default: 2)")
    private double seconds = 2;

    @Option(
            names = "--broker",
            paramLabel = "NAME=SETTING",
            description =
                    "measures a broker with this setting as well: arguments of the Erlang VM or, in braces, a term of"
                            + " advanced.config, such as stats={rabbit,[{collect_statistics,none}]}")
    private Map<String, String> brokers = new LinkedHashMap<>(Map.of(USUAL, ""));

    private StreamsCommand() {}

    @Override
    public Integer call() throws IOException, InterruptedException {
        List<Measured> medians = new ArrayList<>();
        for (Map.Entry<String, String> broker : brokers.entrySet())
            medians.addAll(measure(broker.getKey(), broker.getValue()));
        System.out.print(Table.of(medians));
        Path results = Objects.requireNonNull(files).newFile("streams", "json");
        Files.writeString(
                results, JsonMapper.shared().writerWithDefaultPrettyPrinter().writeValueAsString(medians));
        System.err.println("Results: " + results);
        return medians.stream().allMatch(Measured::complete) ? 0 : 1;
    }

    private List<Measured> measure(String name, String setting) throws IOException, InterruptedException {
        Path directory = Files.createTempDirectory("confab-bench");
        int streamPort = Ports.free();
        RabbitTuning tuning = RabbitTuning.USUAL.withStreamPort(streamPort);
        tuning = setting.startsWith("{") ? tuning.withAdvanced(setting) : tuning.withErlang(setting);
        RabbitNode node =
                new RabbitNode(RabbitSettings.in(directory).withTuning(tuning).withProgress(StreamsCommand::progress));
        // The node would survive Ctrl-C. Stopping it twice does no harm.
        Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(() -> stop(node, directory)));
        node.start();
        try (Bed bed = new Bed(name, node, streamPort)) {
            return measure(bed);
        } finally {
            stop(node, directory);
        }
    }

    private List<Measured> measure(Bed bed) throws IOException, InterruptedException {
        Map<String, List<Measured>> rows = new LinkedHashMap<>();
        for (String way : ways) bed.measure(Way.parse(way), new Load(10_000, 2_000, 1), 1.5); // warms up both processes
        for (int repeat = 0; repeat < repeats; repeat++) {
            for (Load load : loads()) {
                for (String way : load.readers() == 0 ? ways.subList(0, 1) : ways) {
                    Measured measured = bed.measure(Way.parse(way), load, seconds);
                    progress(measured.toString());
                    rows.computeIfAbsent(way + load, row -> new ArrayList<>()).add(measured);
                }
            }
        }
        return rows.values().stream().map(Measured::median).toList();
    }

    private List<Load> loads() {
        List<Load> loads = new ArrayList<>();
        for (int size : bytes) for (int rate : rates) for (int count : readers) loads.add(new Load(size, rate, count));
        return loads;
    }

    private static void progress(String what) {
        System.err.println(what);
    }

    private static void stop(RabbitNode node, Path directory) {
        node.close();
        try {
            Directories.delete(directory);
        } catch (IOException stillWritten) {
            // The system deletes temporary files.
        }
    }
}
