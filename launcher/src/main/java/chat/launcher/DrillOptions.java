package chat.launcher;

import chat.nodes.HaproxyConfig;
import chat.nodes.HaproxyNode;
import chat.nodes.NodeException;
import java.io.PrintStream;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** Defines the options of all drills, and runs a drill on its own platform. */
final class DrillOptions {
    private static final int MAX_RATE = 20_000;

    @Option(names = "--servers", description = "chat servers, 2 to 16 (default: ${DEFAULT-VALUE})")
    int servers;

    @Option(names = "--rate", description = "messages per second of the load (default: ${DEFAULT-VALUE})")
    int rate = 1_000;

    @Option(names = "--seconds", description = "seconds of load for each step, 10 to 3600 (default: ${DEFAULT-VALUE})")
    int seconds;

    @Option(
            names = "--dir",
            description = "directory for data and logs; existing data is deleted (default: ${DEFAULT-VALUE})")
    Path directory = Path.of(".confab/drill");

    @CommandLine.Spec(CommandLine.Spec.Target.MIXEE)
    CommandLine.Model.@Nullable CommandSpec command;

    /** Creates options with these defaults. */
    DrillOptions(int servers, int seconds) {
        this.servers = servers;
        this.seconds = seconds;
    }

    /** The steps of a drill. */
    interface Steps {
        /** @return whether all checks passed */
        boolean run(Cluster cluster, Drill drill, PrintStream out) throws InterruptedException;
    }

    /**
     * Starts a platform, runs the drill on it and stops it.
     *
     * @param size of the platform
     * @param before time from the start of each load to the fault
     * @return 0 if all checks passed, 1 if one failed, 2 if a start failed
     */
    int run(Cluster.Size size, Duration before, Steps steps) throws InterruptedException {
        if (servers < 2 || servers > 16) throw wrong("--servers must be 2 to 16, not " + servers);
        if (rate < 1 || rate > MAX_RATE) throw wrong("--rate must be 1 to " + MAX_RATE + ", not " + rate);
        if (seconds < 10 || seconds > 3600) throw wrong("--seconds must be 10 to 3600, not " + seconds);
        PrintStream out = System.out;
        Path home = directory.toAbsolutePath().normalize();
        try {
            HaproxyNode.missing().ifPresent(reason -> {
                throw new StartFailure("the drill needs HAProxy: " + reason);
            });
            Path programs = ChildProgram.directoryOfPrograms();
            Cluster.Ports ports = Cluster.Ports.free(size.servers(), size.consumers());
            Confab.delete(home);
            Cluster cluster = new Cluster(
                    home,
                    size,
                    ports,
                    programs,
                    null,
                    null,
                    HaproxyConfig.Placement.PARTITION,
                    Map.of("CHAT_IDENTITY", "open"),
                    out);
            Runtime.getRuntime().addShutdownHook(new Thread(cluster::close, "stop"));
            cluster.start();
            try (Drill drill = new Drill(
                    URI.create("http://127.0.0.1:" + ports.proxy()),
                    Cluster.partitions(),
                    programs,
                    home.resolve("load"),
                    new Drill.Load(rate, Duration.ofSeconds(seconds), before),
                    out)) {
                return steps.run(cluster, drill, out) ? 0 : 1;
            }
        } catch (NodeException | StartFailure | DrillFailure failure) {
            System.err.println("The drill cannot continue: " + failure.getMessage());
            return 2;
        }
    }

    ParameterException wrong(String message) {
        return Usage.wrong(command, message);
    }
}
