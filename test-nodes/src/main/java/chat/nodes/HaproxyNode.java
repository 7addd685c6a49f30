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
 * One HAProxy as a child process, from the system's package. It is started again when it ends unasked. It survives this
 * JVM, if that is killed; the next start on the directory finds and stops it.
 *
 * <p>Safe for any thread; starting and stopping wait for each other.
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
     * @param directory holds configuration and log; created if missing, kept afterwards
     * @param port in {@code config.bind()}, on this machine
     * @param progress is told in a few words what happens: by the caller's thread, and by another one when HAProxy ends
     *     unasked
     */
    public HaproxyNode(Path directory, int port, HaproxyConfig config, Consumer<String> progress) {
        this.directory = Directories.real(directory);
        this.port = port;
        this.config = config;
        this.progress = progress;
    }

    /**
     * What keeps this machine from running one, for people; empty if nothing does.
     *
     * @throws NodeException {@code CONFAB_HAPROXY} names something that is no HAProxy
     */
    public static Optional<String> missing() {
        return HaproxyInstallation.find().map(HaproxyInstallation::tooOld).orElseGet(() -> Optional.of(NOT_INSTALLED));
    }

    /**
     * Finds out what would keep it from starting, and stops what an earlier, killed JVM has left running on the directory.
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
     * Starts HAProxy and returns when it takes connections, after less than a second; does nothing if it runs. Its servers
     * should be up: it takes a server for dead that does not answer its first check.
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

    /** The process id; the one it had last if it is not running, -1 if it was never started. */
    public synchronized long pid() {
        return process == null ? -1 : process.pid();
    }

    /** What it has logged: notices and worse, such as servers that come and go. */
    public Path log() {
        return directory.resolve("haproxy.log");
    }

    /**
     * Takes no more connections and leaves those it has until they end (SIGUSR1). It is not started again by itself. Does
     * nothing if it does not run.
     */
    public synchronized void drain() {
        ending = true;
        if (process != null && isRunning()) {
            Processes.signal("USR1", process.toHandle());
        }
    }

    /** Ends all connections and the process. It can be started again. */
    public synchronized void stop() {
        ending = true;
        if (process == null) {
            return;
        }
        end(process.toHandle());
    }

    /** Kills the process (SIGKILL), as a crash would; it is started again. */
    public synchronized void kill() {
        if (process != null) {
            Processes.kill(process.toHandle());
        }
    }

    /** Stops HAProxy and gives the directory free for others. */
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
            throw new NodeException("HAProxy does not like " + file() + ". It printed: " + checked.output());
        }
    }

    private Process launch(Path program) throws IOException {
        // Sockets have to stay until the chat servers have drained.
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
                throw new NodeException("HAProxy has ended. It logged (" + log() + "): " + tail());
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
        progress.accept("HAProxy has ended with code " + which.exitValue() + "; it is started again");
        CompletableFuture.delayedExecutor(RESTART_DELAY_MS, TimeUnit.MILLISECONDS)
                .execute(() -> {
                    synchronized (this) {
                        if (ending) {
                            return;
                        }
                        try {
                            start();
                            progress.accept("HAProxy runs again, pid " + pid());
                        } catch (NodeException failure) {
                            progress.accept("HAProxy does not start again: " + failure.getMessage());
                        }
                    }
                });
    }

    private void stopOrphans() {
        for (ProcessHandle orphan : Processes.runningWith("haproxy -db", "-f " + file())) {
            progress.accept("HAProxy still runs as process " + orphan.pid() + " from an earlier run: stopping it");
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
            return "(" + log() + " cannot be read: " + e.getMessage() + ")";
        }
    }
}
