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

/** Options of all drills, and how they begin: by a platform of their own. */
final class DrillOptions {
    private static final int MAX_RATE = 20_000;

    @Option(names = "--servers", description = "chat servers, 2 to 16 (default: ${DEFAULT-VALUE})")
    int servers;

    @Option(names = "--rate", description = "messages per second of the load (default: ${DEFAULT-VALUE})")
    int rate = 1_000;

    @Option(
            names = "--seconds",
            description = "that the load of each step lasts, 10 to 3600 (default: ${DEFAULT-VALUE})")
    int seconds;

    @Option(names = "--dir", description = "for data and logs; what is there goes (default: ${DEFAULT-VALUE})")
    Path directory = Path.of(".confab/drill");

    @CommandLine.Spec(CommandLine.Spec.Target.MIXEE)
    CommandLine.Model.@Nullable CommandSpec command;

    /** With these defaults. */
    DrillOptions(int servers, int seconds) {
        this.servers = servers;
        this.seconds = seconds;
    }

    /** What is done in a drill. */
    interface Steps {
        /** @return whether everything was as it has to be */
        boolean run(Cluster cluster, Drill drill, PrintStream out) throws InterruptedException;
    }

    /**
     * @param size of the platform, which is stopped at the end
     * @param before how much of each load passes before the fault
     * @return 0: nothing was lost, doubled or reordered, and every bound kept; 1: something was; 2: something did not start
     */
    int run(Cluster.Size size, Duration before, Steps steps) throws InterruptedException {
        if (servers < 2 || servers > 16) throw wrong("--servers must be 2 to 16, not " + servers);
        if (rate < 1 || rate > MAX_RATE) throw wrong("--rate must be 1 to " + MAX_RATE + ", not " + rate);
        if (seconds < 10 || seconds > 3600) throw wrong("--seconds must be 10 to 3600, not " + seconds);
        PrintStream out = System.out;
        Path home = directory.toAbsolutePath().normalize();
        try {
            HaproxyNode.missing().ifPresent(reason -> {
                throw new StartFailure("the drill is done by HAProxy's address. " + reason);
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
            System.err.println("The drill cannot go on: " + failure.getMessage());
            return 2;
        }
    }

    ParameterException wrong(String message) {
        return Usage.wrong(command, message);
    }
}
