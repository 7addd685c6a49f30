package chat.nodes;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs the system's HAProxy as a child process and restarts it when it exits unexpectedly. The process survives if this
 * JVM is killed; the next start on the directory finds and stops it.
 *
 * <p>Thread-safe; starting and stopping wait for each other.
 */
public final class HaproxyNode implements AutoCloseable {
    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration START_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(10);
    private static final long RESTART_DELAY_MS = 1_000;
    private static final String NOT_INSTALLED = "HAProxy is not installed. " + HaproxyInstallation.ADVICE;
    private static final int TAIL = 4_000;

    private final Path directory;
    private final int port;
    private final HaproxyConfig config;
    private final Consumer<String> progress;

    private @Nullable DirectoryLock lock;
    private @Nullable Process process;
    private boolean ending;

    /**
     * @param directory directory of configuration and log; created if missing, kept afterwards
     * @param port port of {@code config.bind()}, on this machine
     * @param progress receives short messages, on the caller's thread, and on another one when HAProxy exits
     *     unexpectedly
     */
    public HaproxyNode(Path directory, int port, HaproxyConfig config, Consumer<String> progress) {
        this.directory = Directories.real(directory);
        this.port = port;
        this.config = config;
        this.progress = progress;
    }

    /**
     * Returns why this machine cannot run HAProxy, for people; empty if it can.
     *
     * @throws NodeException if {@code CONFAB_HAPROXY} is not HAProxy
     */
    public static Optional<String> missing() {
        return HaproxyInstallation.find().map(HaproxyInstallation::tooOld).orElseGet(() -> Optional.of(NOT_INSTALLED));
    }

    /**
     * Checks that HAProxy can start, and stops a process that a killed JVM has left on the directory.
     *
     * @return the program
     * @throws NodeException if HAProxy is not installed or too old, or the directory or the port is in use
     */
    public synchronized Path prepare() {
        Path program = HaproxyInstallation.find().orElseThrow(() -> new NodeException(NOT_INSTALLED));
        HaproxyInstallation.tooOld(program).ifPresent(problem -> {
            throw new NodeException(problem);
        });
        if (lock == null) {
            lock = DirectoryLock.acquire(directory);
        }
        stopOrphans();
        if (!Ports.becomesFree(port)) {
            throw new NodeException("Port " + port + " on 127.0.0.1 is in use: HAProxy cannot listen there");
        }
        return program;
    }

    /**
     * Starts HAProxy and returns when it accepts connections, after less than a second; does nothing if it runs. Its
     * servers should run: it marks a server as down that fails its first check.
     *
     * @return this
     * @throws NodeException as {@link #prepare}, or if HAProxy does not start
     */
    public synchronized HaproxyNode start() {
        if (isRunning()) {
            return this;
        }
        Path program = prepare();
        try {
            Files.writeString(file(), config.text());
            checkConfiguration(program);
            ending = false;
            Process started = launch(program);
            try {
                awaitReady(started);
            } catch (NodeException e) {
                stop();
                throw e;
            }
            CompletableFuture<Void> unused = started.onExit().thenAccept(this::ended);
        } catch (IOException e) {
            throw new NodeException("Cannot use " + directory + ": " + e, e);
        }
        return this;
    }

    public synchronized boolean isRunning() {
        return process != null && Processes.isRunning(process.toHandle());
    }

    /** Returns the process id; the last one if it is not running, -1 if it was never started. */
    public synchronized long pid() {
        return process == null ? -1 : process.pid();
    }

    /** Returns the log file: notices and worse, such as state changes of servers. */
    public Path log() {
        return directory.resolve("haproxy.log");
    }

    /**
     * Stops accepting connections and exits when the open ones have ended (SIGUSR1). It is not restarted automatically.
     * Does nothing if it does not run.
     */
    public synchronized void drain() {
        ending = true;
        if (process != null && isRunning()) {
            Processes.signal("USR1", process.toHandle());
        }
    }

    /** Closes all connections and stops the process. It can be started again. */
    public synchronized void stop() {
        ending = true;
        if (process == null) {
            return;
        }
        end(process.toHandle());
    }

    /** Kills the process (SIGKILL) to simulate a crash; it is restarted. */
    public synchronized void kill() {
        if (process != null) {
            Processes.kill(process.toHandle());
        }
    }

    /** Stops HAProxy and unlocks the directory. */
    @Override
    public synchronized void close() {
        stop();
        if (lock != null) {
            lock.close();
            lock = null;
        }
    }

    private Path file() {
        return directory.resolve("haproxy.cfg");
    }

    private void checkConfiguration(Path program) {
        Command.Outcome checked = Command.run(
                COMMAND_TIMEOUT,
                List.of(program.toString(), "-c", "-C", directory.toString(), "-f", file().toString()));
        if (!checked.succeeded()) {
            throw new NodeException("HAProxy rejected " + file() + ". It printed: " + checked.output());
        }
    }

    private Process launch(Path program) throws IOException {
        // Connections must stay open until the chat servers have drained.
        Process started = Processes.deafToCtrlC(
                        program.toString(), "-db", "-C", directory.toString(), "-f", file().toString())
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()))
                .start();
        process = started;
        return started;
    }

    private void awaitReady(Process started) {
        long deadline = System.nanoTime() + START_TIMEOUT.toNanos();
        while (!Ports.accepts(port)) {
            if (!started.isAlive()) {
                throw new NodeException("HAProxy exited. It logged (" + log() + "): " + tail());
            }
            if (System.nanoTime() - deadline > 0) {
                throw new NodeException("HAProxy does not listen on port " + port + ". It logged: " + tail());
            }
            Processes.pause();
        }
    }

    private void ended(Process which) {
        synchronized (this) {
            if (ending || !which.equals(process)) {
                return;
            }
        }
        progress.accept("HAProxy exited with code " + which.exitValue() + "; restarting it");
        CompletableFuture.delayedExecutor(RESTART_DELAY_MS, TimeUnit.MILLISECONDS)
                .execute(() -> {
                    synchronized (this) {
                        if (ending) {
                            return;
                        }
                        try {
                            start();
                            progress.accept("Restarted HAProxy, pid " + pid());
                        } catch (NodeException failure) {
                            progress.accept("Cannot restart HAProxy: " + failure.getMessage());
                        }
                    }
                });
    }

    private void stopOrphans() {
        for (ProcessHandle orphan : Processes.runningWith("haproxy -db", "-f " + file())) {
            progress.accept("Stopping HAProxy, process " + orphan.pid() + " from an earlier run");
            end(orphan);
        }
    }

    private static void end(ProcessHandle haproxy) {
        haproxy.destroy();
        if (!Processes.awaitEnd(haproxy, STOP_TIMEOUT)) {
            Processes.kill(haproxy);
        }
    }

    private String tail() {
        try {
            String content =
                    Files.readString(log(), StandardCharsets.ISO_8859_1).strip();
            return content.substring(Math.max(0, content.length() - TAIL));
        } catch (IOException e) {
            return "(cannot read " + log() + ": " + e.getMessage() + ")";
        }
    }
}
