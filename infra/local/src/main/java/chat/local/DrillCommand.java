package chat.local;

import chat.nodes.HaproxyConfig;
import chat.nodes.HaproxyNode;
import chat.nodes.NodeException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** What {@code infra/drills/cluster} does: starts a cluster of its own, and takes its nodes away under load. */
@Command(
        name = "drill",
        mixinStandardHelpOptions = true,
        description =
                "Starts a cluster of its own, takes one node of each kind away under load, and tells what that cost.")
final class DrillCommand implements Callable<Integer> {
    private static final int MAX_RATE = 20_000;

    @Option(
            names = "--steps",
            split = ",",
            description = "some of: ${COMPLETION-CANDIDATES} (default: all, in this order)")
    List<ClusterDrill.Step> steps = List.of(ClusterDrill.Step.values());

    @Option(names = "--servers", description = "chat servers, 2 to 16 (default: ${DEFAULT-VALUE})")
    int servers = 3;

    @Option(names = "--brokers", description = "3, 5 or 7 (default: ${DEFAULT-VALUE})")
    int brokers = 3;

    @Option(names = "--rate", description = "messages per second of the load (default: ${DEFAULT-VALUE})")
    int rate = 1_000;

    @Option(
            names = "--seconds",
            description = "that the load of each step lasts, 10 to 3600 (default: ${DEFAULT-VALUE})")
    int seconds = 30;

    @Option(names = "--dir", description = "for data and logs; what is there goes (default: ${DEFAULT-VALUE})")
    Path directory = Path.of(".confab/cluster-drill");

    @CommandLine.Spec
    CommandLine.Model.@Nullable CommandSpec spec;

    /** 0: nothing was lost, doubled or reordered; 1: something was; 2: wrong usage, or something did not start. */
    @Override
    public Integer call() throws InterruptedException {
        check();
        PrintStream out = System.out;
        Path home = directory.toAbsolutePath().normalize();
        try {
            HaproxyNode.missing().ifPresent(reason -> {
                throw new StartFailure("the drill is done by HAProxy's address. " + reason);
            });
            Path programs = ChildProgram.directoryOfPrograms();
            Cluster.Ports ports = Cluster.Ports.free(servers, 2);
            Confab.delete(home);
            Cluster cluster = new Cluster(
                    home,
                    new Cluster.Size(servers, brokers, 2, true),
                    ports,
                    programs,
                    null,
                    null,
                    HaproxyConfig.Placement.PARTITION,
                    Map.of("CHAT_IDENTITY", "open"),
                    out);
            Runtime.getRuntime().addShutdownHook(new Thread(cluster::close, "stop"));
            cluster.start();
            try (ClusterDrill drill = new ClusterDrill(
                    cluster,
                    ports,
                    Cluster.partitions(),
                    programs,
                    home.resolve("load"),
                    rate,
                    Duration.ofSeconds(seconds),
                    out)) {
                boolean passed = drill.run(steps).stream().allMatch(ClusterDrill.Outcome::passed);
                return drill.databasesAgree() && passed ? 0 : 1;
            }
        } catch (NodeException | StartFailure | DrillFailure failure) {
            System.err.println("The drill cannot go on: " + failure.getMessage());
            return 2;
        }
    }

    private void check() {
        if (servers < 2 || servers > 16) throw wrong("--servers must be 2 to 16, not " + servers);
        if (brokers != 3 && brokers != 5 && brokers != 7) throw wrong("--brokers must be 3, 5 or 7, not " + brokers);
        if (rate < 1 || rate > MAX_RATE) throw wrong("--rate must be 1 to " + MAX_RATE + ", not " + rate);
        if (seconds < 10 || seconds > 3600) throw wrong("--seconds must be 10 to 3600, not " + seconds);
    }

    private ParameterException wrong(String message) {
        return Usage.wrong(spec, message);
    }
}
