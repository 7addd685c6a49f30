package chat.launcher.platform;

import chat.nodes.HaproxyConfig;
import chat.nodes.HaproxyNode;
import chat.nodes.NodeException;
import chat.nodes.PartitionPlacement;
import chat.nodes.PostgresNode;
import chat.nodes.PostgresPair;
import chat.nodes.PostgresSettings;
import chat.nodes.RabbitCluster;
import chat.nodes.RabbitNode;
import chat.nodes.RabbitSettings;
import chat.nodes.RabbitTuning;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Runs the processes of production on one machine: RabbitMQ, PostgreSQL, consumers, any number of chat servers, and
 * HAProxy in front of them if it is installed. RabbitMQ can be a cluster, and PostgreSQL can have a replica.
 */
public final class Cluster implements Platform {
    public static final String DATA = "servers";

    /** Distance from a program's port to its management port. */
    public static final int MANAGEMENT_OFFSET = 1000;

    private static final int FIRST_SERVER_PORT = 8081;
    private static final int CONSUMER_OFFSET = 9;
    private static final String PARTITIONS = "CHAT_RABBITMQ_PARTITIONS";
    private static final int DEFAULT_PARTITIONS = 4;
    private static final String KEPT_PARTITIONS = "CHAT_SERVER_KEPT_PARTITIONS";
    private static final String EVENT_LOOPS = "CHAT_SERVER_EVENT_LOOPS";
    /** Retention of the log, stored or not, and the maximum size of each stream. */
    private static final String RETENTION =
            "\"max-age\":\"24h\",\"max-length-bytes\":4000000000,\"stream-max-segment-size-bytes\":100000000";

    private static final long SUPERVISION_MILLIS = 2_000;

    private final Path home;
    private final Path data;
    private final Size size;
    private final Ports ports;
    private final Path programsDirectory;
    private final @Nullable String rabbitUri;
    private final @Nullable String postgresUrl;
    private final HaproxyConfig.Placement placement;
    private final Map<String, String> identity;
    private final PrintStream out;
    private final List<ChildProgram> programs = new ArrayList<>();
    private final List<AutoCloseable> databases = new ArrayList<>();
    private final Map<String, LongSupplier> pids = new LinkedHashMap<>();
    private @Nullable RabbitNode rabbit;
    private @Nullable RabbitCluster rabbits;
    private @Nullable PostgresPair postgresPair;
    private @Nullable HaproxyNode proxy;
    private @Nullable ScheduledExecutorService supervisor;
    private boolean closed;

    /**
     * Numbers of processes.
     *
     * @param brokers 1, or the nodes of a RabbitMQ cluster: 3, 5 or 7
     * @param replica whether PostgreSQL has a replica, which serves reads instead of the primary
     */
    public record Size(int servers, int brokers, int consumers, boolean replica) {
        public static Size servers(int servers) {
            return new Size(servers, 1, 1, false);
        }
    }

    /**
     * Ports of the programs; their management ports are {@link #MANAGEMENT_OFFSET} higher.
     *
     * @param proxy HAProxy's port
     * @param firstServer the first chat server's port; each further server uses the next one
     * @param consumer the first consumer's port; each further consumer uses the next one
     */
    public record Ports(int proxy, int firstServer, int consumer) {
        /**
         * Returns 8080, 8081 and 8090, or the same distances from another first server. With more than nine servers the
         * consumer's port is higher.
         */
        public static Ports standard(@Nullable Integer firstServer, int servers) {
            int first = firstServer == null ? FIRST_SERVER_PORT : firstServer;
            return new Ports(first - 1, first, first + Math.max(CONSUMER_OFFSET, servers));
        }

        /** Returns ports that are free on this machine. */
        public static Ports free(int servers, int consumers) {
            return new Ports(
                    chat.nodes.Ports.free(), chat.nodes.Ports.freeRow(servers), chat.nodes.Ports.freeRow(consumers));
        }

        public int server(int index) {
            return firstServer + index;
        }
    }

    /**
     * @param programsDirectory the checkout in which the programs have been built
     * @param placement how HAProxy distributes connections to the chat servers
     * @param identity the programs' environment variables for authentication; empty: those of this process apply
     */
    public Cluster(
            Path home,
            Size size,
            Ports ports,
            Path programsDirectory,
            @Nullable String rabbitUri,
            @Nullable String postgresUrl,
            HaproxyConfig.Placement placement,
            Map<String, String> identity,
            PrintStream out) {
        this.home = home;
        this.data = home.resolve(DATA);
        this.size = size;
        this.ports = ports;
        this.programsDirectory = programsDirectory;
        this.rabbitUri = rabbitUri;
        this.postgresUrl = postgresUrl;
        this.placement = placement;
        this.identity = Map.copyOf(identity);
        this.out = out;
    }

    @Override
    public synchronized void start() {
        if (closed) return;
        addPrograms();
        programs.forEach(ChildProgram::check);
        int partitions = partitions();
        Optional<String> noProxy = HaproxyNode.missing();
        if (noProxy.isEmpty()) prepareProxy(partitions);
        Map<String, String> shared = new LinkedHashMap<>();
        startRabbit(shared);
        startPostgres(shared);
        shared.put(PARTITIONS, Integer.toString(partitions));
        if (System.getenv(EVENT_LOOPS) == null)
            shared.put(
                    EVENT_LOOPS,
                    Integer.toString(eventLoops(Runtime.getRuntime().availableProcessors())));
        shared.put("CHAT_HISTORY_URL", "http://127.0.0.1:" + historyPort());
        shared.put("CHAT_SERVER_ADDRESS", "127.0.0.1"); // not encrypted, so local clients only
        // Also trusts every other local process; acceptable because this set-up is for trials.
        shared.put("CHAT_SERVER_TRUSTED_PROXIES", "127.0.0.1");
        shared.put("CHAT_CONSUMER_TRUSTED_PROXIES", "127.0.0.1");
        shared.put("CHAT_CONSUMER_ADDRESS", "127.0.0.1");
        shared.put("CHAT_DASHBOARD_SERVERS", managementAddresses());
        shared.putAll(identity);
        writeEnvironment(shared);
        out.println("Starting " + (size.consumers() == 1 ? "the consumer" : size.consumers() + " consumers") + " and "
                + size.servers() + (size.servers() == 1 ? " chat server" : " chat servers"));
        programs.forEach(program -> program.start(shared));
        for (ChildProgram program : programs) program.awaitHealthy();
        // Last, because HAProxy marks a server as down if its first check fails.
        if (proxy != null) proxy.start();
        if (rabbits != null) supervise(rabbits);
        printSummary(noProxy);
    }

    /**
     * Returns the event loops of each chat server: its share of the processors. More event loops split members into
     * smaller batches, which raises the cost per delivered frame.
     */
    private int eventLoops(int processors) {
        return Math.max(1, processors / size.servers());
    }

    /** Returns the number of partitions that the user has set; the proxy needs it as well. */
    public static int partitions() {
        String set = System.getenv(PARTITIONS);
        try {
            return set == null ? DEFAULT_PARTITIONS : Integer.parseInt(set.strip());
        } catch (NumberFormatException wrong) {
            throw new StartFailure(PARTITIONS + " must be a number, not " + set);
        }
    }

    /** Returns the chat servers' management addresses by name, for the dashboard. */
    private String managementAddresses() {
        return IntStream.range(0, size.servers())
                .mapToObj(i -> "server-" + (i + 1) + "=http://127.0.0.1:" + (ports.server(i) + MANAGEMENT_OFFSET))
                .collect(Collectors.joining(","));
    }

    /** Returns the port for history requests. With several consumers it is HAProxy's, which finds a healthy one. */
    private int historyPort() {
        return proxy != null && size.consumers() > 1 ? ports.proxy() : ports.consumer();
    }

    /** Restarts RabbitMQ nodes that exit, as {@link ChildProgram} does for the other programs. */
    private void supervise(RabbitCluster cluster) {
        ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().daemon().name("supervisor").factory());
        supervisor = thread;
        ScheduledFuture<?> unused = thread.scheduleWithFixedDelay(
                () -> {
                    try {
                        cluster.startWhatHasEnded();
                    } catch (NodeException failure) {
                        out.println(failure.getMessage());
                    }
                },
                SUPERVISION_MILLIS,
                SUPERVISION_MILLIS,
                TimeUnit.MILLISECONDS);
    }

    /** Adds the consumers first, because programs are stopped in reverse order. */
    private void addPrograms() {
        if (ports.consumer() < ports.server(size.servers()) && ports.server(0) < ports.consumer() + size.consumers())
            throw new StartFailure("port " + ports.consumer()
                    + " is used by both the consumer and a chat server: choose another --port");
        for (int i = 0; i < size.consumers(); i++) {
            int port = ports.consumer() + i;
            programs.add(new ChildProgram(
                    i == 0 ? "consumer" : "consumer-" + (i + 1),
                    programsDirectory.resolve("persistence-consumer/target/program/persistence-consumer.jar"),
                    port,
                    Map.of(
                            "CHAT_CONSUMER_PORT", Integer.toString(port),
                            "CHAT_CONSUMER_MANAGEMENT_PORT", Integer.toString(port + MANAGEMENT_OFFSET)),
                    data,
                    out));
        }
        for (int i = 0; i < size.servers(); i++) {
            String name = "server-" + (i + 1);
            programs.add(new ChildProgram(
                    name,
                    programsDirectory.resolve("chat-server/target/program/chat-server.jar"),
                    ports.server(i),
                    ofServer(i, name),
                    data,
                    out));
        }
    }

    private Map<String, String> ofServer(int index, String name) {
        Map<String, String> own = new LinkedHashMap<>();
        own.put("CHAT_SERVER_ID", name);
        own.put("CHAT_SERVER_PORT", Integer.toString(ports.server(index)));
        own.put("CHAT_SERVER_MANAGEMENT_PORT", Integer.toString(ports.server(index) + MANAGEMENT_OFFSET));
        // With spread placement every server has members in all partitions, so it reads all of them anyway.
        if (placement == HaproxyConfig.Placement.PARTITION && System.getenv(KEPT_PARTITIONS) == null)
            own.put(
                    KEPT_PARTITIONS,
                    new PartitionPlacement(partitions(), size.servers())
                            .partitionsOf(index).stream().map(String::valueOf).collect(Collectors.joining(",")));
        return own;
    }

    private void startRabbit(Map<String, String> environment) {
        String uri = rabbitUri;
        if (uri == null && size.brokers() > 1) uri = startBrokers();
        else if (uri == null) {
            RabbitNode node =
                    new RabbitNode(RabbitSettings.in(data.resolve("rabbitmq")).withProgress(out::println));
            rabbit = node;
            databases.add(node);
            pids.put("rabbitmq", node::pid);
            node.start();
            setPolicy(node, RETENTION);
            node.writeCtl(data.resolve("rabbitmqctl"));
            uri = node.uri();
        }
        environment.put("CHAT_RABBITMQ_URI", uri);
    }

    private static void setPolicy(RabbitNode node, String definition) {
        node.ctl("set_policy", "--apply-to", "queues", "chat-log", "^chat\\.log\\.", "{" + definition + "}");
    }

    private String startBrokers() {
        RabbitCluster cluster = new RabbitCluster(
                data.resolve("rabbitmq-cluster"),
                Stream.generate(chat.nodes.Ports::free).limit(size.brokers()).toList(),
                RabbitTuning.USUAL,
                out::println);
        rabbits = cluster;
        databases.add(cluster);
        cluster.start();
        // Before the programs declare the streams, because leaders are placed then. All nodes have replicas.
        setPolicy(cluster.any(), RETENTION + ",\"queue-leader-locator\":\"balanced\"");
        for (int i = 0; i < size.brokers(); i++) {
            RabbitNode node = cluster.nodes().get(i);
            pids.put("rabbitmq " + node.name(), node::pid);
            node.writeCtl(data.resolve(i == 0 ? "rabbitmqctl" : "rabbitmqctl-" + (i + 1)));
        }
        return cluster.uri();
    }

    private void startPostgres(Map<String, String> environment) {
        if (postgresUrl != null) {
            environment.put("CHAT_POSTGRES_URL", postgresUrl);
            return;
        }
        PostgresNode primary;
        if (size.replica()) {
            PostgresPair pair =
                    new PostgresPair(data, List.of(chat.nodes.Ports.free(), chat.nodes.Ports.free()), out::println);
            postgresPair = pair;
            databases.add(pair);
            pair.start();
            primary = pair.primary();
            pids.put("postgres (primary)", primary::pid);
            pids.put("postgres (replica)", pair.replica()::pid);
            pair.replica().writePromote(data.resolve("promote"));
            environment.put("CHAT_POSTGRES_URL", pair.writingUrl());
            environment.put("CHAT_POSTGRES_READ_URL", pair.readingUrl());
        } else {
            if (PostgresPair.isSecondPrimary(data))
                throw new StartFailure("the current database is the promoted replica in " + data.resolve("postgres-2")
                        + ": start with --replica, which copies it back");
            primary = new PostgresNode(
                    PostgresSettings.in(data.resolve("postgres")).withProgress(out::println));
            databases.add(primary);
            pids.put("postgres", primary::pid);
            primary.start();
            environment.put("CHAT_POSTGRES_URL", primary.jdbcUrl());
        }
        environment.put("CHAT_POSTGRES_USER", primary.user());
        environment.put("CHAT_POSTGRES_PASSWORD", primary.password());
    }

    private void prepareProxy(int partitions) {
        HaproxyConfig config = new HaproxyConfig(
                "127.0.0.1:" + ports.proxy(),
                "127.0.0.1:" + (ports.proxy() + MANAGEMENT_OFFSET),
                "admin.sock",
                0,
                partitions,
                placement,
                IntStream.range(0, size.servers())
                        .mapToObj(i -> "127.0.0.1:" + ports.server(i))
                        .toList(),
                IntStream.range(0, size.consumers())
                        .mapToObj(i -> "127.0.0.1:" + (ports.consumer() + i))
                        .toList());
        HaproxyNode node = new HaproxyNode(data.resolve("haproxy"), ports.proxy(), config, out::println);
        proxy = node;
        node.prepare();
    }

    /** Environment for further programs started by hand: {@code set -a; . FILE}. */
    private Path environmentFile() {
        return data.resolve("environment");
    }

    private void writeEnvironment(Map<String, String> environment) {
        StringBuilder lines = new StringBuilder();
        environment.forEach(
                (name, value) -> lines.append(name).append("='").append(value).append("'\n"));
        try {
            Files.createDirectories(data);
            Files.deleteIfExists(environmentFile());
            Files.createFile(
                    environmentFile(),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            Files.writeString(environmentFile(), lines);
        } catch (IOException failure) {
            throw new StartFailure("cannot write " + environmentFile() + ": " + failure.getMessage());
        }
    }

    private void printSummary(Optional<String> noProxy) {
        StringBuilder chat = new StringBuilder();
        if (proxy != null)
            chat.append("http://localhost:").append(ports.proxy()).append(" (HAProxy), servers at ");
        for (int i = 0; i < size.servers(); i++)
            chat.append(i == 0 ? "" : ", ").append("http://localhost:").append(ports.server(i));
        noProxy.ifPresent(reason -> chat.append(System.lineSeparator())
                .append("         no common address: ")
                .append(reason));
        StringBuilder processes = new StringBuilder();
        for (ChildProgram program : programs)
            processes.append(program.name()).append(' ').append(program.pid()).append(", ");
        pids.forEach((name, pid) ->
                processes.append(name).append(' ').append(pid.getAsLong()).append(", "));
        if (proxy != null) processes.append("haproxy ").append(proxy.pid()).append(", ");
        out.printf(
                Locale.ROOT,
                "%nConfab is up (Ctrl-C stops everything)%n"
                        + "  Chat   %s%n"
                        + "  Board  http://localhost:%d/dashboard%n"
                        + "  REST   http://localhost:%d/api/rooms/lobby/messages, /health; metrics on 127.0.0.1 at %d and %d …%n"
                        + "  Users  %s%n"
                        + "  Data   %s: data, logs, rabbitmqctl, environment for further servers%n"
                        + "  Pids   %s%n",
                chat,
                ports.consumer(),
                ports.consumer(),
                ports.consumer() + MANAGEMENT_OFFSET,
                ports.server(0) + MANAGEMENT_OFFSET,
                Platform.who(identity, home),
                data,
                processes.substring(0, Math.max(0, processes.length() - 2)));
        out.flush();
    }

    @Override
    public void close() {
        // A start that is still waiting checks this flag and stops.
        programs.forEach(ChildProgram::expectEnd);
        synchronized (this) {
            if (closed) return;
            closed = true;
            boolean anything = !databases.isEmpty()
                    || (proxy != null && proxy.isRunning())
                    || programs.stream().anyMatch(ChildProgram::isStarted);
            if (!anything) return;
            out.println("\nStopping: chat servers, consumer, PostgreSQL, RabbitMQ");
            if (supervisor != null) supervisor.shutdownNow();
            // First no new connections to servers that stop; open ones stay until their servers have drained them.
            if (proxy != null) proxy.drain();
            // Consumers are stopped last, so that they store what the servers still publish.
            int consumers = Math.min(size.consumers(), programs.size());
            List<ChildProgram> chatServers = programs.subList(consumers, programs.size());
            chatServers.forEach(ChildProgram::terminate);
            chatServers.forEach(ChildProgram::awaitEnd);
            if (proxy != null) stop(proxy);
            programs.stream().limit(consumers).forEach(ChildProgram::terminate);
            programs.stream().limit(consumers).forEach(ChildProgram::awaitEnd);
            // In reverse order of the start: PostgreSQL first.
            databases.reversed().forEach(this::stop);
            out.println("Stopped");
            out.flush();
        }
    }

    private void stop(AutoCloseable node) {
        try {
            node.close();
        } catch (NodeException failure) {
            out.println(failure.getMessage());
        } catch (Exception failure) {
            out.println("Error while stopping: " + failure);
        }
    }

    public Size size() {
        return size;
    }

    /** For tests, and for faults that are injected into it. */
    public List<ChildProgram> programs() {
        return programs;
    }

    public List<ChildProgram> consumers() {
        return programs.subList(0, size.consumers());
    }

    public List<ChildProgram> servers() {
        return programs.subList(size.consumers(), programs.size());
    }

    public HaproxyNode proxy() {
        HaproxyNode node = proxy;
        if (node == null) throw new IllegalStateException("HAProxy was not started");
        return node;
    }

    /** Returns the address of HAProxy's metrics, in Prometheus's format. */
    public URI proxyMetrics() {
        return URI.create("http://127.0.0.1:" + (ports.proxy() + MANAGEMENT_OFFSET) + "/metrics");
    }

    /** Returns the RabbitMQ cluster; empty with one broker. */
    public Optional<RabbitCluster> brokers() {
        return Optional.ofNullable(rabbits);
    }

    public PostgresPair postgres() {
        PostgresPair pair = postgresPair;
        if (pair == null) throw new IllegalStateException("PostgreSQL has no replica");
        return pair;
    }

    public RabbitNode rabbit() {
        RabbitNode node = rabbit;
        if (node == null) throw new IllegalStateException("RabbitMQ was given, not started");
        return node;
    }
}
