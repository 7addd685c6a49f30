package chat.nodes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Runs a RabbitMQ cluster on this machine: nodes {@code confab-1}, {@code confab-2} and so on, each a {@link
 * RabbitNode} with its own directory and port, with a shared port mapper and secret. A node that cannot reach a
 * majority pauses. Nodes keep their data and rejoin the cluster after a restart.
 *
 * <p>Thread-safe; starting and stopping wait for each other.
 */
public final class RabbitCluster implements AutoCloseable {
    private static final int MAX_NODES = 7;

    private final Path directory;
    private final List<RabbitNode> nodes;
    private final Consumer<String> progress;
    private final PortMapper mapper;
    private @Nullable DirectoryLock lock;
    private boolean running;

    /**
     * @param directory the cluster's directory; created if missing, kept afterwards
     * @param ports AMQP ports on 127.0.0.1, one for each node: 3, 5 or 7, because an even number tolerates no more
     *     failures than one less
     * @param tuning tuning of each node
     * @param progress receives short messages about what is being waited for, on any thread
     */
    public RabbitCluster(Path directory, List<Integer> ports, RabbitTuning tuning, Consumer<String> progress) {
        if (ports.size() < 3 || ports.size() > MAX_NODES || ports.size() % 2 == 0) {
            throw new IllegalArgumentException("a cluster has 3, 5 or 7 nodes, not " + ports.size());
        }
        this.directory = Directories.real(directory);
        this.progress = progress;
        this.mapper = new PortMapper(this.directory);
        this.nodes = IntStream.rangeClosed(1, ports.size())
                .mapToObj(number -> new RabbitNode(
                        RabbitSettings.in(nodeDirectory(number))
                                .withName(name(number))
                                .withPort(ports.get(number - 1))
                                .withTuning(tuning.withConfiguration(membership(number)))
                                .withProgress(progress),
                        mapper))
                .toList();
    }

    private Path nodeDirectory(int number) {
        return directory.resolve(name(number));
    }

    private static String name(int number) {
        return "confab-" + number;
    }

    /** The first node forms the cluster, and the others join it. Nodes read this only at their first start. */
    private static List<String> membership(int number) {
        List<String> lines = new ArrayList<>(List.of("cluster_partition_handling = pause_minority"));
        if (number > 1) {
            lines.add("cluster_formation.peer_discovery_backend = classic_config");
            lines.add("cluster_formation.classic_config.nodes.1 = " + name(1) + "@localhost");
            lines.add("cluster_formation.classic_config.nodes.2 = " + name(number) + "@localhost");
        }
        return lines;
    }

    /**
     * Starts all nodes and returns when each accepts AMQP connections, after 10 to 20 s; does nothing if it was
     * started.
     *
     * @return this
     * @throws NodeException as {@link RabbitNode#start}
     */
    public synchronized RabbitCluster start() {
        if (running) {
            return this;
        }
        RabbitInstallation found = RabbitInstallation.find();
        if (lock == null) {
            lock = DirectoryLock.acquire(directory);
        }
        try {
            boolean first = !Files.exists(begun());
            shareSecrets();
            nodes.forEach(RabbitNode::stopOrphans);
            mapper.stopOrphan();
            RabbitNode one = nodes.getFirst();
            mapper.start(found, environment -> one.environment(environment, found));
            if (first) {
                one.start();
            }
            // All together: a node of a stopped cluster waits for the nodes that were stopped after it.
            together(RabbitNode::start);
            Files.writeString(begun(), "");
            running = true;
            return this;
        } catch (IOException e) {
            stop();
            throw new NodeException("Cannot write to " + directory + ": " + e, e);
        } catch (NodeException e) {
            stop();
            throw e;
        }
    }

    /** Returns the file that exists once every node has joined. */
    private Path begun() {
        return directory.resolve("begun");
    }

    /** Erlang nodes authenticate each other with the cookie; the broker uses the password of the first node. */
    private void shareSecrets() throws IOException {
        for (String name : List.of(".erlang.cookie", "password")) {
            Path first = nodeDirectory(1).resolve(name);
            if (!Files.exists(first)) {
                Private.write(first, Private.secret());
            }
            for (int number = 2; number <= nodes.size(); number++) {
                Path other = nodeDirectory(number).resolve(name);
                if (!Files.exists(other)) {
                    Private.write(other, Files.readString(first));
                }
            }
        }
    }

    private void together(Consumer<RabbitNode> step) {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<CompletableFuture<Void>> steps = nodes.stream()
                    .map(node -> CompletableFuture.runAsync(() -> step.accept(node), threads))
                    .toList();
            join(steps);
        }
    }

    private static void join(Collection<CompletableFuture<Void>> steps) {
        try {
            steps.forEach(CompletableFuture::join);
        } catch (CompletionException failed) {
            if (failed.getCause() instanceof NodeException known) {
                throw known;
            }
            throw failed;
        }
    }

    /**
     * Returns the address of all nodes, with user and password: {@code
     * amqp://user:password@host:port,host:port,host:port}.
     */
    public String uri() {
        return nodes.getFirst().uri()
                + nodes.stream()
                        .skip(1)
                        .map(node -> ",127.0.0.1:" + node.port())
                        .collect(Collectors.joining());
    }

    /** Returns the single nodes. */
    public List<RabbitNode> nodes() {
        return nodes;
    }

    /** Returns any running node. */
    public RabbitNode any() {
        return nodes.stream()
                .filter(RabbitNode::isRunning)
                .findFirst()
                .orElseThrow(() -> new NodeException("No node of the cluster is running"));
    }

    /**
     * Returns the current leader of a stream or a queue. Takes about a second.
     *
     * @return empty if the stream has no leader now or does not exist
     */
    public Optional<RabbitNode> leaderOf(String stream) {
        return any().ctl("list_queues", "--no-table-headers", "name", "leader")
                .lines()
                .map(line -> line.split("\t", -1))
                .filter(columns -> columns.length == 2 && columns[0].equals(stream))
                .flatMap(columns -> nodes.stream().filter(node -> columns[1].equals(node.name() + "@localhost")))
                .findFirst();
    }

    /**
     * Restarts, as a supervisor, the nodes that have exited while the cluster should run. A node waits for the nodes
     * that exited after it, so all of them are started at the same time, also those that exit while others start.
     *
     * @throws NodeException as {@link RabbitNode#start}, when no node is starting any more
     */
    public synchronized void startWhatHasEnded() {
        if (!running) {
            return;
        }
        Map<RabbitNode, CompletableFuture<Void>> starts = new LinkedHashMap<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            do {
                for (RabbitNode node : nodes) {
                    // A starting node holds its own lock.
                    if (starts.containsKey(node) || node.isRunning()) {
                        continue;
                    }
                    progress.accept("RabbitMQ's node " + node.name() + " exited; restarting it");
                    starts.put(node, CompletableFuture.runAsync(node::start, threads));
                }
                Processes.pause();
            } while (!starts.values().stream().allMatch(CompletableFuture::isDone));
            join(starts.values());
        }
    }

    /** Stops all nodes gracefully. They can be started again. */
    public synchronized void stop() {
        try {
            together(RabbitNode::close);
        } finally {
            mapper.stop();
            running = false;
        }
    }

    /** Stops all nodes and unlocks the directory. */
    @Override
    public synchronized void close() {
        stop();
        if (lock != null) {
            lock.close();
            lock = null;
        }
    }
}
