package chat.nodes;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Runs a RabbitMQ node as a child process that listens only on 127.0.0.1, without plugins unless its tuning names some.
 * Supports RabbitMQ 3.10 and later; not on Windows. Clients need the password, which is beside the data in a file that
 * only this user may read.
 *
 * <p>Shares nothing with an installed RabbitMQ service or another node: it has its own data, log, cookie, ports and
 * Erlang port mapper. The node survives if this JVM is killed; the next start on the directory finds and stops it.
 *
 * <p>Thread-safe; starting and stopping wait for each other.
 */
public final class RabbitNode implements AutoCloseable {
    private static final String USER = "confab";
    private static final Duration START_TIMEOUT = Duration.ofMinutes(2);
    private static final Duration STOP_TIMEOUT = Duration.ofMinutes(1);
    private static final Duration CTL_TIMEOUT = Duration.ofSeconds(90);
    private static final int SOCKET_TIMEOUT_MS = 2_000;
    private static final byte[] AMQP_HEADER = {'A', 'M', 'Q', 'P', 0, 0, 9, 1};
    private static final int METHOD_FRAME = 1;
    private static final int TAIL = 4_000;

    private final RabbitSettings settings;
    private final Path directory;
    /** On the command line of every node of this directory: distinguishes it from other nodes of the same name. */
    private final String mark;

    private @Nullable RabbitInstallation installation;
    private @Nullable DirectoryLock lock;
    private @Nullable Process server;
    private final PortMapper mapper;
    /** Whether the port mapper belongs to this node alone and has the same lifetime. */
    private final boolean ownsMapper;

    public RabbitNode(RabbitSettings settings) {
        this(settings, null);
    }

    /** @param shared the port mapper of the node's cluster, which must run while the node runs; null: its own */
    RabbitNode(RabbitSettings settings, @Nullable PortMapper shared) {
        this.settings = settings;
        this.directory = Directories.real(settings.directory());
        this.ownsMapper = shared == null;
        this.mapper = shared == null ? new PortMapper(directory) : shared;
        this.mark = UUID.nameUUIDFromBytes(directory.toString().getBytes(StandardCharsets.UTF_8))
                .toString();
    }

    /**
     * Starts the node and returns when it accepts AMQP connections, after about 5 s; does nothing if it runs. First
     * stops a node that a killed JVM has left on the directory.
     *
     * @return this
     * @throws NodeException if RabbitMQ is not installed, the directory or the port is in use, or the node does not
     *     start
     */
    public synchronized RabbitNode start() {
        if (server != null && Processes.isRunning(beam())) {
            return this;
        }
        RabbitInstallation found = RabbitInstallation.find();
        installation = found;
        if (lock == null) {
            lock = DirectoryLock.acquire(directory);
        }
        stopServer();
        stopOrphans();
        if (!Ports.becomesFree(settings.port())) {
            throw new NodeException(
                    "Port " + settings.port() + " on 127.0.0.1 is in use: RabbitMQ cannot listen there");
        }
        settings.progress().accept("Starting RabbitMQ on port " + settings.port());
        try {
            writeConfiguration();
            if (ownsMapper) mapper.start(found, environment -> environment(environment, found));
            startServer(found);
            awaitReady();
        } catch (IOException e) {
            stopServer();
            throw new NodeException("Cannot write to " + directory + ": " + e.getMessage(), e);
        } catch (NodeException e) {
            stopServer();
            throw e;
        }
        return this;
    }

    /** Returns the address with user and password; it is the same after each start. */
    public String uri() {
        return "amqp://" + USER + ":" + password() + "@127.0.0.1:" + settings.port();
    }

    /** Returns the password, generated at random before the first start, when the node creates its data. */
    private String password() {
        Path file = directory.resolve("password");
        try {
            Files.createDirectories(directory);
            if (!Files.exists(file)) Private.write(file, Private.secret());
            return Files.readString(file).strip();
        } catch (IOException e) {
            throw new NodeException("Cannot read or write the password in " + file + ": " + e, e);
        }
    }

    public int port() {
        return settings.port();
    }

    /** Returns the part of the node's name before {@code @localhost}. */
    public String name() {
        return settings.name();
    }

    /** Returns the process id of the Erlang VM. */
    public synchronized long pid() {
        return beam().pid();
    }

    public synchronized boolean isRunning() {
        return server != null && Processes.isRunning(beam());
    }

    /** Returns the directory of the node's log files. */
    public Path logs() {
        return directory.resolve("log");
    }

    /**
     * Runs {@code rabbitmqctl} on this node. Takes about a second, because it starts its own Erlang VM.
     *
     * @return its output
     * @throws NodeException with its output, if it fails or does not exit within 90 s
     */
    public String ctl(String... arguments) {
        RabbitInstallation found = installation();
        List<String> words =
                new ArrayList<>(List.of(found.ctl().toString(), "--quiet", "--node", settings.name() + "@localhost"));
        Collections.addAll(words, arguments);
        Command.Outcome outcome = Command.run(CTL_TIMEOUT, "", map -> environment(map, found), words);
        if (!outcome.succeeded()) {
            throw new NodeException("rabbitmqctl " + String.join(" ", arguments) + " failed (exit code "
                    + outcome.exitCode() + "): " + outcome.output());
        }
        return outcome.output();
    }

    /**
     * Writes a shell script that runs {@code rabbitmqctl} on this node with the given arguments. It works until the
     * node is restarted.
     *
     * @throws NodeException if the file cannot be written
     */
    public void writeCtl(Path script) {
        RabbitInstallation found = installation();
        Map<String, String> environment = new LinkedHashMap<>();
        environment.put("PATH", "$PATH");
        environment(environment, found);
        StringBuilder lines = new StringBuilder("#!/bin/sh\n");
        environment.forEach((name, value) ->
                lines.append("export ").append(name).append("=\"").append(value).append("\"\n"));
        lines.append("exec \"")
                .append(found.ctl())
                .append("\" --node ")
                .append(settings.name())
                .append("@localhost \"$@\"\n");
        try {
            Files.writeString(script, lines);
            Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
        } catch (IOException e) {
            throw new NodeException("Cannot write " + script + ": " + e.getMessage(), e);
        }
    }

    /** Stops the node gracefully, also a paused one; kills it after 60 s. It can be started again. */
    public synchronized void stop() {
        stopServer();
    }

    /** Kills the node and its children (SIGKILL) to simulate a crash. It can be started again. */
    public synchronized void kill() {
        Processes.kill(beam());
        stopServer();
    }

    /** Pauses the node (SIGSTOP): its connections stay open without traffic. */
    public synchronized void pause() {
        Processes.suspend(beam());
    }

    /** Resumes a paused node. */
    public synchronized void resume() {
        Processes.resume(beam());
    }

    /**
     * Copies the data of the running node as it is at one moment; pauses the node for this time.
     *
     * @param to does not exist
     */
    public synchronized void copyData(Path to) {
        pause();
        try {
            Directories.copy(data(), to);
        } catch (IOException e) {
            throw new NodeException("Cannot copy " + data() + ": " + e, e);
        } finally {
            resume();
        }
    }

    /**
     * Replaces the data of the node, which must not run, by an earlier copy: the node has forgotten everything since
     * then, as after a power failure without fsync.
     *
     * @param copy is moved
     */
    public synchronized void replaceData(Path copy) {
        if (isRunning()) throw new NodeException("The RabbitMQ node runs: stop it before replacing its data");
        try {
            Directories.delete(data());
            Files.move(copy, data());
        } catch (IOException e) {
            throw new NodeException("Cannot replace " + data() + ": " + e, e);
        }
    }

    private Path data() {
        return directory.resolve("mnesia");
    }

    /** Stops the node and unlocks the directory. */
    @Override
    public synchronized void close() {
        stopServer();
        if (lock != null) {
            lock.close();
            lock = null;
        }
    }

    private synchronized RabbitInstallation installation() {
        if (installation == null || server == null) {
            throw notRunning();
        }
        return installation;
    }

    private static NodeException notRunning() {
        return new NodeException("The RabbitMQ node is not running");
    }

    /** Returns the Erlang VM: the started process, or its child if the start script keeps running. */
    private ProcessHandle beam() {
        if (server == null) {
            throw notRunning();
        }
        return Stream.concat(Stream.of(server.toHandle()), server.descendants())
                .filter(process -> Processes.isMarked(process, mark))
                .findFirst()
                .orElse(server.toHandle());
    }

    private void writeConfiguration() throws IOException {
        Files.createDirectories(logs());
        Files.createDirectories(data());
        Files.deleteIfExists(directory.resolve("rabbitmq.conf"));
        Private.write(
                directory.resolve("rabbitmq.conf"),
                String.format(
                        Locale.ROOT,
                        """
                listeners.tcp.local = 127.0.0.1:%d
                default_user = %s
                default_pass = %s
                vm_memory_high_watermark.absolute = %d
                disk_free_limit.absolute = 64MB
                log.file = rabbit.log
                log.file.level = info
                %s
                """,
                        settings.port(),
                        USER,
                        password(),
                        settings.memoryBytes(),
                        String.join("\n", settings.tuning().configuration())));
        // Empty files, so that RabbitMQ does not read those in /etc/rabbitmq.
        Files.writeString(directory.resolve("rabbitmq-env.conf"), "");
        Files.writeString(
                directory.resolve("advanced.config"), list(settings.tuning().advanced()));
        Files.writeString(
                directory.resolve("enabled_plugins"), list(settings.tuning().plugins()));
        Files.createDirectories(directory.resolve("conf.d"));
        Path cookie = directory.resolve(".erlang.cookie");
        if (!Files.exists(cookie)) {
            byte[] secret = new byte[16];
            new SecureRandom().nextBytes(secret);
            Private.write(cookie, HexFormat.of().withUpperCase().formatHex(secret));
        }
    }

    private static String list(List<String> terms) {
        return "[" + String.join(", ", terms) + "].\n";
    }

    /** Sets the environment with which Erlang programs find this node. */
    void environment(Map<String, String> environment, RabbitInstallation found) {
        // The user's variables for another RabbitMQ or for systemd do not apply to this node.
        environment
                .keySet()
                .removeIf(name -> name.startsWith("RABBITMQ_")
                        || name.startsWith("ERL_")
                        || name.equals("NOTIFY_SOCKET")
                        || name.equals("XDG_CONFIG_HOME"));
        environment.put("HOME", directory.toString());
        environment.merge("PATH", found.epmd().resolveSibling("").toString(), (path, more) -> path + ":" + more);
        environment.put("ERL_EPMD_ADDRESS", "127.0.0.1");
        environment.put("ERL_EPMD_PORT", Integer.toString(mapper.port()));
        // For every Erlang VM, including short-lived ones: listen only on loopback; use UTF-8 in any locale.
        environment.put("ERL_AFLAGS", "+fnu -kernel inet_dist_use_interface {127,0,0,1}");
        environment.put("ERL_CRASH_DUMP", logs().resolve("erl_crash.dump").toString());
        environment.put("RABBITMQ_CONF_ENV_FILE", file("rabbitmq-env.conf"));
        environment.put("RABBITMQ_NODENAME", settings.name() + "@localhost");
    }

    private String file(String name) {
        return directory.resolve(name).toString();
    }

    private void startServer(RabbitInstallation found) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(found.server().toString())
                .directory(directory.toFile())
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectErrorStream(true)
                .redirectOutput(logs().resolve("startup.log").toFile());
        Map<String, String> environment = builder.environment();
        environment(environment, found);
        environment.put("RABBITMQ_CONFIG_FILE", file("rabbitmq.conf"));
        environment.put("RABBITMQ_CONFIG_FILES", file("conf.d"));
        environment.put("RABBITMQ_ADVANCED_CONFIG_FILE", file("advanced.config"));
        environment.put("RABBITMQ_ENABLED_PLUGINS_FILE", file("enabled_plugins"));
        environment.put("RABBITMQ_GENERATED_CONFIG_DIR", file("generated"));
        environment.put("RABBITMQ_SCHEMA_DIR", file("schema"));
        environment.put("RABBITMQ_MNESIA_BASE", data().toString());
        environment.put("RABBITMQ_LOG_BASE", file("log"));
        environment.put("RABBITMQ_PID_FILE", file("rabbit.pid"));
        environment.put("RABBITMQ_DIST_PORT", Integer.toString(Ports.free()));
        // Makes the start script exec the Erlang VM instead of waiting for it.
        environment.put("RUNNING_UNDER_SYSTEMD", "true");
        // Erlang accepts unknown flags: "-confab_node" marks the process. It must be among the first arguments, because
        // the
        // JDK reads a command line only up to the first empty argument, and RabbitMQ passes one.
        environment.merge("ERL_AFLAGS", "-confab_node " + mark, (flags, more) -> flags + " " + more);
        // Ignore Ctrl-C, as epmd does; do not busy-wait, because other processes share the processors.
        environment.put(
                "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS",
                "+B i +sbwt none +sbwtdcpu none +sbwtdio none "
                        + settings.tuning().erlang());
        server = builder.start();
    }

    private void awaitReady() {
        Process started = server;
        if (started == null) {
            throw notRunning();
        }
        await(START_TIMEOUT, started, "RabbitMQ", "startup.log", this::speaksAmqp);
    }

    private void await(Duration timeout, Process process, String what, String log, Condition condition) {
        long deadline = System.nanoTime() + timeout.toNanos();
        while (!condition.holds()) {
            boolean ended = !process.isAlive();
            if (ended || System.nanoTime() - deadline > 0) {
                String fate = ended
                        ? " exited with code " + process.exitValue()
                        : " was not ready within " + timeout.toSeconds() + " s";
                throw new NodeException(
                        what + fate + ". Its logs are in " + logs() + ". It printed: " + tail(logs().resolve(log)));
            }
            Processes.pause();
        }
    }

    /** A node opens its listeners at the end of its boot; one that is shutting down accepts but does not respond. */
    private boolean speaksAmqp() {
        try (Socket socket = new Socket()) {
            socket.connect(Ports.address(settings.port()), SOCKET_TIMEOUT_MS);
            socket.setSoTimeout(SOCKET_TIMEOUT_MS);
            socket.getOutputStream().write(AMQP_HEADER);
            InputStream in = socket.getInputStream();
            return in.read() == METHOD_FRAME;
        } catch (IOException ignored) {
            return false;
        }
    }

    private void stopServer() {
        if (server != null) {
            endInOrder(beam());
            server = null;
        }
        if (ownsMapper) mapper.stop();
    }

    /** Stops a node that a killed JVM has left on the directory. */
    void stopOrphans() {
        for (ProcessHandle orphan : Processes.runningWith("-confab_node " + mark)) {
            settings.progress().accept("Stopping RabbitMQ, process " + orphan.pid() + " from an earlier run");
            endInOrder(orphan);
        }
        if (ownsMapper) mapper.stopOrphan();
    }

    /** Sends SIGTERM to the Erlang VM, a graceful stop that saves the seconds that rabbitmqctl takes. */
    private void endInOrder(ProcessHandle beam) {
        if (!Processes.isRunning(beam)) {
            return;
        }
        Processes.resume(beam);
        List<ProcessHandle> children = beam.descendants().toList();
        beam.destroy();
        if (!Processes.awaitEnd(beam, STOP_TIMEOUT)) {
            settings.progress().accept("RabbitMQ did not stop within " + STOP_TIMEOUT.toSeconds() + " s: killing it");
            Processes.kill(beam);
        }
        children.forEach(ProcessHandle::destroyForcibly);
    }

    private static String tail(Path file) {
        try {
            String content = Files.readString(file, StandardCharsets.ISO_8859_1).strip();
            return content.substring(Math.max(0, content.length() - TAIL));
        } catch (IOException e) {
            return "(cannot read " + file + ": " + e.getMessage() + ")";
        }
    }

    private interface Condition {
        boolean holds();
    }
}
