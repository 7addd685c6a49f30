package chat.launcher;

import chat.launcher.platform.ChildProgram;
import chat.launcher.platform.Cluster;
import chat.launcher.platform.Platform;
import chat.launcher.platform.StartFailure;
import chat.nodes.Directories;
import chat.nodes.HaproxyConfig;
import chat.nodes.NodeException;
import chat.protocol.PrintableOutput;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ansi.AnsiOutput;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** Runs {@code ./run}: starts the platform and stops it when the process is terminated. */
@Command(
        name = "run",
        mixinStandardHelpOptions = true,
        subcommands = {TokenCommand.class, ChaosCommand.class, BackupDrillCommand.class},
        description =
                "Starts Confab: the whole platform in one process, or with --servers the processes of production.")
public final class Confab implements Callable<Integer> {
    private static final int MAX_SERVERS = 16;
    private static final int MAX_CONSUMERS = 4;
    private static final String IDENTITY = "CHAT_IDENTITY";

    @Option(names = "--servers", description = "starts the processes of production, with this number of chat servers")
    @Nullable
    Integer servers;

    @Option(
            names = "--brokers",
            description =
                    "with --servers: a RabbitMQ cluster of 3, 5 or 7 nodes; also two consumers and a PostgreSQL replica"
                            + " unless --consumers or --no-replica is given (default: 1)")
    @Nullable
    Integer brokers;

    @Option(
            names = "--consumers",
            description = "with --servers: number of consumers; one stores each partition, the others are on standby"
                    + " (default: 1; with several brokers: 2)")
    @Nullable
    Integer consumers;

    @Option(
            names = "--replica",
            negatable = true,
            description = "with --servers: a streaming replica of PostgreSQL that serves history and analytics"
                    + " (default: only with several brokers)")
    @Nullable
    Boolean replica;

    @Option(names = "--rabbitmq", description = "with --servers: uses this RabbitMQ (amqp://…) instead of starting one")
    @Nullable
    String rabbitmq;

    @Option(names = "--postgres", description = "uses this PostgreSQL (jdbc:postgresql://…) instead of starting one")
    @Nullable
    String postgres;

    @Option(
            names = "--placement",
            description =
                    "with --servers, where HAProxy sends a connection: partition, to the server of the room's partition,"
                            + " or spread, to the server with the fewest connections (default: partition)")
    HaproxyConfig.@Nullable Placement placement;

    @Option(names = "--dir", description = "directory of data and logs (default: ${DEFAULT-VALUE})")
    Path directory = Platform.DIRECTORY;

    @Option(
            names = "--port",
            description = "port of the page, the WebSocket and REST (default: 8080; with --servers: 8081)")
    @Nullable
    Integer port;

    @Option(
            names = "--tokens",
            description =
                    "requires a token from every client, signed with a key in the directory; ./token prints tokens")
    boolean tokens;

    @Option(names = "--open", description = "admits every client under any name; the default without --servers")
    boolean open;

    @Option(names = "--clean", description = "first deletes the data of earlier starts in the directory")
    boolean clean;

    @CommandLine.Spec
    CommandLine.Model.@Nullable CommandSpec spec;

    /** Exits with 0 after a stop, 1 if a start failed, 2 for wrong arguments. */
    public static void main(String[] arguments) {
        AnsiOutput.setEnabled(AnsiOutput.Enabled.NEVER); // control characters are not printed
        PrintableOutput.install();
        System.exit(new CommandLine(new Confab())
                .setColorScheme(CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF))
                .setCaseInsensitiveEnumValuesAllowed(true)
                .execute(arguments));
    }

    @Override
    public Integer call() {
        PrintStream out = System.out;
        check();
        Path home = directory.toAbsolutePath().normalize();
        try {
            if (clean) delete(home);
            Map<String, String> identity = identity(home);
            Platform platform = servers == null
                    ? new OneProcess(home, port == null ? 8080 : port, postgres, identity, out)
                    : new Cluster(
                            home,
                            size(servers),
                            Cluster.Ports.standard(port, servers),
                            ChildProgram.directoryOfPrograms(),
                            rabbitmq,
                            postgres,
                            placement == null ? HaproxyConfig.Placement.PARTITION : placement,
                            identity,
                            out);
            CountDownLatch stopped = new CountDownLatch(1);
            Runtime.getRuntime()
                    .addShutdownHook(new Thread(
                            () -> {
                                platform.close();
                                stopped.countDown();
                            },
                            "stop"));
            platform.start();
            stopped.await();
            return 0;
        } catch (NodeException | StartFailure failure) {
            System.err.println("Confab cannot start: " + failure.getMessage());
            return 1;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return 1;
        }
    }

    /** Returns the programs' environment variables for authentication; empty if those of this process apply. */
    private Map<String, String> identity(Path home) {
        if (tokens) return new LocalIdentity(home).prepare();
        return open ? Map.of(IDENTITY, "open") : Map.of();
    }

    private Cluster.Size size(int servers) {
        int nodes = brokers == null ? 1 : brokers;
        boolean several = nodes > 1;
        return new Cluster.Size(
                servers,
                nodes,
                consumers != null ? consumers : several ? 2 : 1,
                replica != null ? replica : several && postgres == null);
    }

    private void check() {
        if (tokens && open) throw wrong("--tokens and --open cannot be combined");
        if (servers != null && !tokens && !open && System.getenv(IDENTITY) == null)
            throw wrong(
                    "--servers needs --tokens (with its own key; ./token prints tokens), --open (admits every client"
                            + " under any name), or the environment variable " + IDENTITY
                            + "=token with your issuer's key: docs/guide/identity.md");
        if (servers != null && (servers < 1 || servers > MAX_SERVERS))
            throw wrong("--servers must be 1 to " + MAX_SERVERS + ", not " + servers);
        if (port != null && (port < 1 || port > 65_000)) throw wrong("--port must be 1 to 65000, not " + port);
        if (rabbitmq != null && servers == null)
            throw wrong("--rabbitmq needs --servers: a single process keeps its log in memory");
        if (servers == null && (brokers != null || consumers != null || replica != null))
            throw wrong("--brokers, --consumers and --replica need --servers");
        if (brokers != null && brokers != 1 && brokers != 3 && brokers != 5 && brokers != 7)
            throw wrong(
                    "--brokers must be 1, 3, 5 or 7, not " + brokers
                            + ": streams need a majority, and an even number of nodes tolerates no more failures than one less");
        if (brokers != null && brokers > 1 && rabbitmq != null)
            throw wrong("--brokers and --rabbitmq cannot be combined: give the nodes of your cluster as"
                    + " --rabbitmq amqp://user:password@host:port,host:port");
        if (consumers != null && (consumers < 1 || consumers > MAX_CONSUMERS))
            throw wrong("--consumers must be 1 to " + MAX_CONSUMERS + ", not " + consumers);
        if (Boolean.TRUE.equals(replica) && postgres != null)
            throw wrong("--replica and --postgres cannot be combined: set CHAT_POSTGRES_READ_URL to your own replica");
        if (placement != null && servers == null)
            throw wrong("--placement needs --servers: a single process has no proxy");
        if (postgres != null && !postgres.startsWith("jdbc:postgresql:") && !postgres.startsWith("postgres"))
            throw wrong("--postgres must look like jdbc:postgresql://host:5432/database?user=…&password=…");
    }

    private ParameterException wrong(String message) {
        return Usage.wrong(spec, message);
    }

    /** Deletes only Confab's own files: the directory may contain others. */
    static void delete(Path home) {
        for (String own : new String[] {OneProcess.DATA, Cluster.DATA, LocalIdentity.DATA}) {
            Path kept = home.resolve(own);
            try {
                Directories.delete(kept);
            } catch (IOException failure) {
                throw new StartFailure("cannot delete " + kept + ": " + failure.getMessage());
            }
        }
    }
}
