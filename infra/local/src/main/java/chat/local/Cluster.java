package chat.local;

import chat.nodes.HaproxyConfig;
import chat.nodes.HaproxyNode;
import chat.nodes.NodeException;
import chat.nodes.PostgresNode;
import chat.nodes.PostgresSettings;
import chat.nodes.RabbitNode;
import chat.nodes.RabbitSettings;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The processes of production on one machine: RabbitMQ, PostgreSQL, the consumer, any number of chat servers, and HAProxy
 * before them where it is installed.
 */
final class Cluster implements Platform {
    static final String DATA = "servers";

    /** A program's management port, above its own. */
    static final int MANAGEMENT_OFFSET = 1000;

    private static final int FIRST_SERVER_PORT = 8081;
    private static final int CONSUMER_PORT = 8090;
    private static final String PARTITIONS = "CHAT_RABBITMQ_PARTITIONS";
    private static final int DEFAULT_PARTITIONS = 4;
    /** How long the log is kept, whether stored or not, and how large each stream may grow. */
    private static final String RETENTION =
            "{\"max-age\":\"24h\",\"max-length-bytes\":4000000000,\"stream-max-segment-size-bytes\":100000000}";

    private final Path data;
    private final int servers;
    private final Ports ports;
    private final Path programsDirectory;
    private final @Nullable String rabbitUri;
    private final @Nullable String postgresUrl;
    private final HaproxyConfig.Placement placement;
    private final Map<String, String> identity;
    private final PrintStream out;
    private final List<ChildProgram> programs = new ArrayList<>();
    private @Nullable RabbitNode rabbit;
    private @Nullable PostgresNode postgres;
    private @Nullable HaproxyNode proxy;
    private boolean closed;

    /**
     * Where the programs listen; their management ports are {@link #MANAGEMENT_OFFSET} higher.
     *
     * @param proxy HAProxy's
     * @param firstServer the next server's is one higher, and so on
     */
    record Ports(int proxy, int firstServer, int consumer) {
        static Ports standard(@Nullable Integer firstServer) {
            int first = firstServer == null ? FIRST_SERVER_PORT : firstServer;
            return new Ports(first - 1, first, CONSUMER_PORT);
        }

        int server(int index) {
            return firstServer + index;
        }
    }

    /**
     * @param programsDirectory the checkout in which the programs have been built
     * @param placement which server HAProxy sends a socket to
     * @param identity who is let in, as the programs' environment; empty: as it is already
     */
    Cluster(
            Path home,
            int servers,
            Ports ports,
            Path programsDirectory,
            @Nullable String rabbitUri,
            @Nullable String postgresUrl,
            HaproxyConfig.Placement placement,
            Map<String, String> identity,
            PrintStream out) {
        this.data = home.resolve(DATA);
        this.servers = servers;
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
        shared.put("CHAT_HISTORY_URL", "http://127.0.0.1:" + ports.consumer());
        shared.put("CHAT_SERVER_ADDRESS", "127.0.0.1"); // for trying out: nothing is encrypted
        // HAProxy's address, and that of anybody else here: this is for trying out.
        shared.put("CHAT_SERVER_TRUSTED_PROXIES", "127.0.0.1");
        shared.put("CHAT_CONSUMER_TRUSTED_PROXIES", "127.0.0.1");
        shared.put("CHAT_CONSUMER_ADDRESS", "127.0.0.1");
        shared.put("CHAT_DASHBOARD_SERVERS", managementAddresses());
        shared.putAll(identity);
        writeEnvironment(shared);
        out.println("Starting the consumer and " + servers + (servers == 1 ? " chat server" : " chat servers"));
        programs.forEach(program -> program.start(shared));
        for (ChildProgram program : programs) program.awaitHealthy();
        // Last: HAProxy takes a server for dead that does not answer at once.
        if (proxy != null) proxy.start();
        tell(noProxy);
    }

    /** As the user has set it: the proxy has to know it, too. */
    private static int partitions() {
        String set = System.getenv(PARTITIONS);
        try {
            return set == null ? DEFAULT_PARTITIONS : Integer.parseInt(set.strip());
        } catch (NumberFormatException wrong) {
            throw new StartFailure(PARTITIONS + " must be a number, not " + set);
        }
    }

    /** Of the chat servers, by their names: whom the dashboard asks. */
    private String managementAddresses() {
        return IntStream.range(0, servers)
                .mapToObj(i -> "server-" + (i + 1) + "=http://127.0.0.1:" + (ports.server(i) + MANAGEMENT_OFFSET))
                .collect(Collectors.joining(","));
    }

    /** The consumer first: it is stopped last. */
    private void addPrograms() {
        if (ports.consumer() >= ports.server(0) && ports.consumer() < ports.server(servers))
            throw new StartFailure("port " + ports.consumer() + " is the consumer's: choose another --port");
        programs.add(new ChildProgram(
                "consumer",
                programsDirectory.resolve("persistence-consumer/target/persistence-consumer.jar"),
                ports.consumer(),
                Map.of(
                        "CHAT_CONSUMER_PORT", Integer.toString(ports.consumer()),
                        "CHAT_CONSUMER_MANAGEMENT_PORT", Integer.toString(ports.consumer() + MANAGEMENT_OFFSET)),
                data,
                out));
        for (int i = 0; i < servers; i++) {
            String name = "server-" + (i + 1);
            programs.add(new ChildProgram(
                    name,
                    programsDirectory.resolve("chat-server/target/chat-server.jar"),
                    ports.server(i),
                    Map.of(
                            "CHAT_SERVER_ID", name,
                            "CHAT_SERVER_PORT", Integer.toString(ports.server(i)),
                            "CHAT_SERVER_MANAGEMENT_PORT", Integer.toString(ports.server(i) + MANAGEMENT_OFFSET)),
                    data,
                    out));
        }
    }

    private void startRabbit(Map<String, String> environment) {
        String uri = rabbitUri;
        if (uri == null) {
            RabbitNode node =
                    new RabbitNode(RabbitSettings.in(data.resolve("rabbitmq")).withProgress(out::println));
            rabbit = node;
            node.start();
            node.ctl("set_policy", "--apply-to", "queues", "chat-log", "^chat\\.log\\.", RETENTION);
            node.writeCtl(data.resolve("rabbitmqctl"));
            uri = node.uri();
        }
        environment.put("CHAT_RABBITMQ_URI", uri);
    }

    private void startPostgres(Map<String, String> environment) {
        if (postgresUrl != null) {
            environment.put("CHAT_POSTGRES_URL", postgresUrl);
            return;
        }
        PostgresNode node =
                new PostgresNode(PostgresSettings.in(data.resolve("postgres")).withProgress(out::println));
        postgres = node;
        node.start();
        environment.put("CHAT_POSTGRES_URL", node.jdbcUrl());
        environment.put("CHAT_POSTGRES_USER", node.user());
        environment.put("CHAT_POSTGRES_PASSWORD", node.password());
    }

    private void prepareProxy(int partitions) {
        HaproxyConfig config = new HaproxyConfig(
                "127.0.0.1:" + ports.proxy(),
                "127.0.0.1:" + (ports.proxy() + MANAGEMENT_OFFSET),
                "admin.sock",
                0,
                partitions,
                placement,
                IntStream.range(0, servers)
                        .mapToObj(i -> "127.0.0.1:" + ports.server(i))
                        .toList(),
                "127.0.0.1:" + ports.consumer());
        HaproxyNode node = new HaproxyNode(data.resolve("haproxy"), ports.proxy(), config, out::println);
        proxy = node;
        node.prepare();
    }

    /** For further programs, started by hand: {@code set -a; . FILE}. */
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

    private void tell(Optional<String> noProxy) {
        StringBuilder chat = new StringBuilder();
        if (proxy != null)
            chat.append("http://localhost:").append(ports.proxy()).append(" by HAProxy, to the servers at ");
        for (int i = 0; i < servers; i++)
            chat.append(i == 0 ? "" : ", ").append("http://localhost:").append(ports.server(i));
        noProxy.ifPresent(reason -> chat.append(System.lineSeparator())
                .append("         no one address for all of them: ")
                .append(reason));
        StringBuilder pids = new StringBuilder();
        for (ChildProgram program : programs)
            pids.append(program.name()).append(' ').append(program.pid()).append(", ");
        if (rabbit != null) pids.append("rabbitmq ").append(rabbit.pid()).append(", ");
        if (proxy != null) pids.append("haproxy ").append(proxy.pid()).append(", ");
        if (postgres != null) pids.append("postgres ").append(postgres.pid()).append(", ");
        out.printf(
                "%nConfab is up (Ctrl-C stops everything)%n"
                        + "  Chat   %s%n"
                        + "  Look   http://localhost:%d/dashboard%n"
                        + "  REST   http://localhost:%d/api/rooms/lobby/messages, /health; metrics on 127.0.0.1 at %d and %d …%n"
                        + "  Who    %s%n"
                        + "  Data   %s: data, logs, rabbitmqctl, environment for further servers%n"
                        + "  Pids   %s%n",
                chat,
                ports.consumer(),
                ports.consumer(),
                ports.consumer() + MANAGEMENT_OFFSET,
                ports.server(0) + MANAGEMENT_OFFSET,
                Platform.who(identity),
                data,
                pids.substring(0, Math.max(0, pids.length() - 2)));
        out.flush();
    }

    @Override
    public void close() {
        // A start that is still waiting sees it and gives up.
        programs.forEach(ChildProgram::expectEnd);
        synchronized (this) {
            if (closed) return;
            closed = true;
            boolean anything = rabbit != null
                    || postgres != null
                    || (proxy != null && proxy.isRunning())
                    || programs.stream().anyMatch(ChildProgram::isStarted);
            if (!anything) return;
            out.println("\nStopping: chat servers, consumer, PostgreSQL, RabbitMQ");
            // Nobody comes back to a server that is stopping; the sockets stay until their servers have drained them.
            if (proxy != null) proxy.drain();
            // The consumer was started first and is stopped last, so it stores what the servers still publish.
            List<ChildProgram> chatServers = programs.subList(Math.min(1, programs.size()), programs.size());
            chatServers.forEach(ChildProgram::terminate);
            chatServers.forEach(ChildProgram::awaitEnd);
            if (proxy != null) stop(proxy);
            programs.stream().limit(1).forEach(ChildProgram::terminate);
            programs.stream().limit(1).forEach(ChildProgram::awaitEnd);
            if (postgres != null) stop(postgres);
            if (rabbit != null) stop(rabbit);
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
            out.println("while stopping: " + failure);
        }
    }

    /** For tests: what they put faults into. */
    List<ChildProgram> programs() {
        return programs;
    }

    HaproxyNode proxy() {
        HaproxyNode node = proxy;
        if (node == null) throw new IllegalStateException("HAProxy was not started");
        return node;
    }

    RabbitNode rabbit() {
        RabbitNode node = rabbit;
        if (node == null) throw new IllegalStateException("RabbitMQ was given, not started");
        return node;
    }
}
