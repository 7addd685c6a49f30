package chat.launcher;

import chat.launcher.chaos.Catalogue;
import chat.launcher.chaos.CatalogueEntry;
import chat.launcher.chaos.ChaosFailure;
import chat.launcher.chaos.ChaosReport;
import chat.launcher.chaos.ChaosResult;
import chat.launcher.chaos.ChaosRun;
import chat.launcher.chaos.Outcome;
import chat.launcher.chaos.OutcomeTable;
import chat.launcher.chaos.Target;
import chat.launcher.chaos.Timing;
import chat.launcher.platform.ChildProgram;
import chat.launcher.platform.Cluster;
import chat.launcher.platform.Platform;
import chat.launcher.platform.StartFailure;
import chat.nodes.Directories;
import chat.nodes.HaproxyConfig;
import chat.nodes.HaproxyNode;
import chat.nodes.NodeException;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** Runs {@code ./chaos}. */
@Command(
        name = "chaos",
        mixinStandardHelpOptions = true,
        description = "Starts its own platform, injects faults under load, and checks every message after each fault.")
final class ChaosCommand implements Callable<Integer> {
    private static final int SERVERS = 2;
    private static final int CONSUMERS = 2;
    private static final int MAX_RATE = 20_000;
    private static final int MAX_HOURS = 168;
    private static final String LOADS = "load";

    @Option(names = "--faults", split = ",", description = "names or numbers of faults (default: all)")
    List<String> faults = List.of();

    @Option(names = "--brokers", description = "RabbitMQ nodes: 1, 3, 5 or 7 (default: ${DEFAULT-VALUE})")
    int brokers = 1;

    @Option(names = "--rate", description = "messages per second of the load (default: ${DEFAULT-VALUE})")
    int rate = 1_000;

    @Option(names = "--hours", description = "repeats the faults in random order for this time (default: once each)")
    int hours;

    @Option(names = "--seed", description = "repeats the order, programs and moments of an earlier run")
    @Nullable
    Long seed;

    @Option(
            names = "--dir",
            description = "directory for data and reports; existing data is deleted (default: ${DEFAULT-VALUE})")
    Path directory = Platform.DIRECTORY.resolve("chaos");

    @CommandLine.Spec
    CommandLine.Model.@Nullable CommandSpec spec;

    /** Returns 0 if every fault passed, 1 if one failed, 2 for wrong usage or a failed start. */
    @Override
    public Integer call() throws InterruptedException, IOException {
        if (brokers != 1 && brokers != 3 && brokers != 5 && brokers != 7)
            throw wrong("--brokers must be 1, 3, 5 or 7, not " + brokers);
        if (rate < 1 || rate > MAX_RATE) throw wrong("--rate must be 1 to " + MAX_RATE + ", not " + rate);
        if (hours < 0 || hours > MAX_HOURS) throw wrong("--hours must be 0 to " + MAX_HOURS + ", not " + hours);
        Path home = directory.toAbsolutePath().normalize();
        Path log = home.resolve("platform.log");
        Cluster.Ports ports = Cluster.Ports.free(SERVERS, CONSUMERS);
        try {
            HaproxyNode.missing().ifPresent(reason -> {
                throw new StartFailure("./chaos needs HAProxy: " + reason);
            });
            Path programs = ChildProgram.directoryOfPrograms();
            Files.createDirectories(home);
            Cluster cluster = new Cluster(
                    home,
                    new Cluster.Size(SERVERS, brokers, CONSUMERS, true),
                    ports,
                    programs,
                    null,
                    null,
                    HaproxyConfig.Placement.PARTITION,
                    Map.of("CHAT_IDENTITY", "open"),
                    new PrintStream(Files.newOutputStream(log), true, StandardCharsets.UTF_8));
            Target target = new Target(
                    cluster,
                    URI.create("http://127.0.0.1:" + ports.proxy()),
                    Cluster.partitions(),
                    programs,
                    home.resolve(LOADS));
            long chosen = seed == null ? System.nanoTime() : seed;
            Random random = new Random(chosen);
            Timing timing = hours > 0 ? Timing.LONG : Timing.STANDARD;
            List<CatalogueEntry> entries = entries(new Catalogue(target, timing, random));
            Confab.delete(home);
            Directories.delete(home.resolve(LOADS));
            System.out.println("Starting the platform (log: " + log + ")");
            Runtime.getRuntime()
                    .addShutdownHook(new Thread(
                            () -> {
                                cluster.close();
                                // Loads, and what faults have started.
                                ProcessHandle.current().children().forEach(ProcessHandle::destroy);
                            },
                            "stop"));
            cluster.start();
            System.out.println("Seed " + chosen + " repeats the order, programs and moments of this run");
            ChaosRun run = new ChaosRun(target, rate, timing, random);
            ChaosResult result = inject(run, entries, random, ChaosResult.begin(chosen, rate, brokers), home);
            return result.passed() ? 0 : 1;
        } catch (NodeException | StartFailure failure) {
            System.err.println("The platform cannot start: " + failure.getMessage());
            return 2;
        }
    }

    private List<CatalogueEntry> entries(Catalogue catalogue) {
        if (faults.isEmpty())
            return catalogue.names().stream()
                    .map(name -> entry(catalogue, name))
                    .toList();
        return faults.stream().map(fault -> entry(catalogue, fault)).toList();
    }

    private CatalogueEntry entry(Catalogue catalogue, String fault) {
        return catalogue
                .find(fault)
                .orElseThrow(() -> wrong("there is no fault " + fault + " with --brokers " + brokers
                        + "; the faults are " + String.join(", ", catalogue.names())));
    }

    private ChaosResult inject(ChaosRun run, List<CatalogueEntry> entries, Random random, ChaosResult begin, Path home)
            throws InterruptedException, IOException {
        Instant deadline = begin.startedAt().plus(Duration.ofHours(hours));
        OutcomeTable table = new OutcomeTable(System.out);
        ChaosResult result = begin;
        try {
            do {
                List<CatalogueEntry> round = new ArrayList<>(entries);
                if (hours > 0) Collections.shuffle(round, random);
                for (CatalogueEntry entry : round) {
                    result = result.with(inject(run, entry, table));
                    ChaosReport.write(home, result);
                }
            } while (Instant.now().isBefore(deadline));
            result = result.end(run.compareDatabases());
        } catch (ChaosFailure | NodeException | StartFailure failure) {
            result = result.end(List.of(String.valueOf(failure.getMessage())));
        }
        table.sums(result);
        System.out.println("Report: " + ChaosReport.write(home, result));
        return result;
    }

    private static Outcome inject(ChaosRun run, CatalogueEntry entry, OutcomeTable table) throws InterruptedException {
        try {
            Outcome outcome = run.inject(entry);
            table.add(outcome);
            return outcome;
        } catch (ChaosFailure | NodeException | StartFailure failure) {
            throw new ChaosFailure(entry.id() + " " + entry.name() + ": " + failure.getMessage());
        }
    }

    private ParameterException wrong(String message) {
        return Usage.wrong(spec, message);
    }
}
