package chat.launcher;

import chat.nodes.HaproxyConfig;
import chat.nodes.NodeException;
import chat.protocol.PrintableOutput;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ansi.AnsiOutput;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** What {@code ./run} starts. */
@Command(
        name = "run",
        mixinStandardHelpOptions = true,
        subcommands = {TokenCommand.class, ClusterDrillCommand.class, ServerDrillCommand.class},
        description =
                "Starts Confab: the whole platform in one process, or with --servers as the processes of production.")
public final class Confab implements Callable<Integer> {
    private static final int MAX_SERVERS = 16;
    private static final int MAX_CONSUMERS = 4;
    private static final String IDENTITY = "CHAT_IDENTITY";

    /** Where data and keys are kept unless the command says otherwise; the same for {@code ./token}. */
    static final Path DIRECTORY = Path.of(".confab");

    @Option(
            names = "--servers",
            description = "as in production: so many chat servers, and everything else, as processes")
    @Nullable
    Integer servers;

    @Option(
            names = "--brokers",
            description =
                    "with --servers: a RabbitMQ cluster of 3, 5 or 7 nodes; then also two consumers and a replica of"
                            + " PostgreSQL, unless told otherwise (default: 1)")
    @Nullable
    Integer brokers;

    @Option(
            names = "--consumers",
            description = "with --servers: so many; one stores a partition, the others stand by (default: 1; with"
                    + " several brokers: 2)")
    @Nullable
    Integer consumers;

    @Option(
            names = "--replica",
            negatable = true,
            description = "with --servers: a streaming replica of PostgreSQL, from which history and figures are read"
                    + " (default: only with several brokers)")
    @Nullable
    Boolean replica;

    @Option(names = "--rabbitmq", description = "with --servers: this RabbitMQ (amqp://…) instead of one of its own")
    @Nullable
    String rabbitmq;

    @Option(names = "--postgres", description = "this PostgreSQL (jdbc:postgresql://…) instead of one of its own")
    @Nullable
    String postgres;

    @Option(
            names = "--placement",
            description =
                    "with --servers, which one HAProxy sends a socket to: the one of its room's partition, or spread:"
                            + " the one with the fewest (default: partition)")
    HaproxyConfig.@Nullable Placement placement;

    @Option(names = "--dir", description = "where data and logs are kept (default: ${DEFAULT-VALUE})")
    Path directory = DIRECTORY;

    @Option(names = "--port", description = "of the page, the WebSocket and REST (default: 8080; with --servers: 8081)")
    @Nullable
    Integer port;

    @Option(
            names = "--tokens",
            description =
                    "ask everybody for a token, signed by a key that is made in the directory; ./token prints some")
    boolean tokens;

    @Option(
            names = "--open",
            description = "let everybody in under any name; without --servers that is so unless --tokens is given")
    boolean open;

    @Option(names = "--clean", description = "delete first what earlier runs have kept in the directory")
    boolean clean;

    @CommandLine.Spec
    CommandLine.Model.@Nullable CommandSpec spec;

    /** Ends the process with 0 after a stop, 1 when something could not be started, 2 for wrong arguments. */
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

    /** Environment of the programs: who is let in. Empty: as their environment says already. */
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
        if (tokens && open) throw wrong("--tokens and --open exclude each other");
        if (servers != null && !tokens && !open && System.getenv(IDENTITY) == null)
            throw wrong("--servers is as in production, so say who is let in: --tokens (by a key of its own; ./token"
                    + " prints tokens), --open (everybody, under any name), or " + IDENTITY
                    + "=token with your issuer's key: docs/guide/identity.md");
        if (servers != null && (servers < 1 || servers > MAX_SERVERS))
            throw wrong("--servers must be 1 to " + MAX_SERVERS + ", not " + servers);
        if (port != null && (port < 1 || port > 65_000)) throw wrong("--port must be 1 to 65000, not " + port);
        if (rabbitmq != null && servers == null)
            throw wrong("--rabbitmq goes with --servers: one process keeps its log in memory");
        if (servers == null && (brokers != null || consumers != null || replica != null))
            throw wrong("--brokers, --consumers and --replica go with --servers: one process is one of each");
        if (brokers != null && brokers != 1 && brokers != 3 && brokers != 5 && brokers != 7)
            throw wrong("--brokers must be 1, 3, 5 or 7, not " + brokers
                    + ": a majority must be left, and an even number can lose no more than the odd one below it");
        if (brokers != null && brokers > 1 && rabbitmq != null)
            throw wrong("--brokers and --rabbitmq exclude each other: give the nodes of your cluster as"
                    + " --rabbitmq amqp://user:password@host:port,host:port");
        if (consumers != null && (consumers < 1 || consumers > MAX_CONSUMERS))
            throw wrong("--consumers must be 1 to " + MAX_CONSUMERS + ", not " + consumers);
        if (Boolean.TRUE.equals(replica) && postgres != null)
            throw wrong("--replica and --postgres exclude each other: CHAT_POSTGRES_READ_URL names a replica of yours");
        if (placement != null && servers == null)
            throw wrong("--placement goes with --servers: one process needs no proxy");
        if (postgres != null && !postgres.startsWith("jdbc:postgresql:") && !postgres.startsWith("postgres"))
            throw wrong("--postgres must look like jdbc:postgresql://host:5432/database?user=…&password=…");
    }

    private ParameterException wrong(String message) {
        return Usage.wrong(spec, message);
    }

    /** Only what Confab itself puts there: the directory may be anybody's. */
    static void delete(Path home) {
        for (String own : new String[] {OneProcess.DATA, Cluster.DATA, LocalIdentity.DATA}) {
            Path kept = home.resolve(own);
            if (!Files.exists(kept)) continue;
            try (Stream<Path> files = Files.walk(kept)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) Files.delete(file);
            } catch (IOException | UncheckedIOException failure) {
                throw new StartFailure("cannot delete " + kept + ": " + failure.getMessage());
            }
        }
    }
}
