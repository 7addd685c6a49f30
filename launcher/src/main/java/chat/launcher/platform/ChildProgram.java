package chat.launcher.platform;

import chat.nodes.Ports;
import chat.nodes.Processes;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Runs one of Confab's programs as a child process and restarts it when it exits unexpectedly, as a supervisor in
 * production would. Writes its output to a file. Finds a process left by a killed launcher through its pid file and
 * stops it first.
 */
public final class ChildProgram {
    private static final Duration START_LIMIT = Duration.ofSeconds(90);
    private static final Duration STOP_LIMIT = Duration.ofSeconds(30);
    private static final long RESTART_DELAY_MILLIS = 1_000;
    private static final String MARK = "-Dconfab.child=";
    /** The java command reads these options itself and puts them before the arguments; the arguments win. */
    private static final String JAVA_OPTIONS = "JDK_JAVA_OPTIONS";
    /** Options that may set the heap size; an argument file (@) may contain one. */
    private static final Pattern HEAP = Pattern.compile("-Xmx|MaxHeapSize|MaxRAM|@");

    private final String name;
    private final Path jar;
    private final int port;
    private final Map<String, String> own;
    private final Path data;
    private final PrintStream out;
    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(2)).build();

    private final Map<String, String> environment = new LinkedHashMap<>();
    private @Nullable Process process;
    private boolean endExpected;
    /** Only a program that has been healthy is restarted; one that exits before that has wrong settings. */
    private boolean wasHealthy;

    /** @param own environment variables of this program only */
    ChildProgram(String name, Path jar, int port, Map<String, String> own, Path data, PrintStream out) {
        this.name = name;
        this.jar = jar;
        this.port = port;
        this.own = own;
        this.data = data;
        this.out = out;
    }

    /** Returns the repository's directory, derived from the jar that this JVM was started with. */
    public static Path directoryOfPrograms() {
        Path own = Path.of(System.getProperty("java.class.path")).toAbsolutePath();
        Path root = own.resolve("../../../..").normalize();
        if (!Files.exists(root.resolve("chat-server")))
            throw new StartFailure("--servers needs a checkout of Confab in which ./run has built the programs");
        return root;
    }

    public String name() {
        return name;
    }

    public int port() {
        return port;
    }

    synchronized boolean isStarted() {
        return process != null;
    }

    /** Kills the program to simulate a crash; it is restarted. */
    public synchronized void kill() {
        if (process != null) process.destroyForcibly();
    }

    /**
     * Terminates the program gracefully; it is restarted.
     *
     * @return its exit code; empty if it takes longer than {@code limit}
     */
    public OptionalInt stop(Duration limit) throws InterruptedException {
        Process stopping;
        synchronized (this) {
            stopping = process;
        }
        if (stopping == null) return OptionalInt.empty();
        stopping.destroy();
        return stopping.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)
                ? OptionalInt.of(stopping.exitValue())
                : OptionalInt.empty();
    }

    /** Pauses the program (SIGSTOP): its connections stay open without traffic. */
    public synchronized void pause() {
        if (process != null) Processes.suspend(process.toHandle());
    }

    /** Resumes a paused program. */
    public synchronized void resume() {
        if (process != null) Processes.resume(process.toHandle());
    }

    public synchronized long pid() {
        return process == null ? -1 : process.pid();
    }

    /**
     * Checks that the program can start: the jar exists and the port is free. Stops a process left by an earlier start.
     *
     * @throws StartFailure if it cannot start
     */
    void check() {
        if (!Files.exists(jar)) throw new StartFailure(jar + " does not exist: build it with ./mvnw package");
        stopOrphan();
        if (!Ports.isFree(port)) throw new StartFailure("port " + port + " of " + name + " is in use");
    }

    /** @param shared environment of all programs; this program's own variables override it */
    synchronized void start(Map<String, String> shared) {
        if (endExpected) return;
        environment.putAll(shared);
        environment.putAll(own);
        launch();
    }

    private void launch() {
        try {
            Files.createDirectories(log().getParent());
            List<String> command = new ArrayList<>();
            command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
            command.add(MARK + data + "/" + name);
            command.addAll(heap(System.getenv(JAVA_OPTIONS)));
            // As in the images and systemd units: after an OutOfMemoryError the program's state is unreliable.
            command.addAll(List.of(
                    "-XX:+UseCompactObjectHeaders",
                    "-XX:+ExitOnOutOfMemoryError",
                    // An idle program collects every 30 s and returns free heap to the operating system.
                    "-XX:G1PeriodicGCInterval=30000",
                    "--enable-native-access=ALL-UNNAMED",
                    "-jar",
                    jar.toString()));
            ProcessBuilder builder = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()));
            builder.environment().putAll(environment);
            Process started = builder.start();
            process = started;
            CompletableFuture<Void> unused = started.onExit().thenAccept(this::ended);
            Files.writeString(pidFile(), Long.toString(started.pid()));
        } catch (IOException failure) {
            throw new StartFailure("cannot start " + name + ": " + failure.getMessage());
        }
    }

    /**
     * Returns the option that limits a program's heap, unless the user sets one.
     *
     * @param javaOptions the user's {@code JDK_JAVA_OPTIONS}
     */
    static List<String> heap(@Nullable String javaOptions) {
        return javaOptions != null && HEAP.matcher(javaOptions).find() ? List.of() : List.of("-Xmx1g");
    }

    private Path log() {
        return data.resolve("log").resolve(name + ".log");
    }

    private Path pidFile() {
        return data.resolve(name + ".pid");
    }

    private void ended(Process which) {
        synchronized (this) {
            if (endExpected || !wasHealthy || !which.equals(process)) return;
        }
        out.printf(Locale.ROOT, "%s exited with code %d; restarting it%n", name, which.exitValue());
        restartLater();
    }

    private void restartLater() {
        CompletableFuture.delayedExecutor(RESTART_DELAY_MILLIS, TimeUnit.MILLISECONDS)
                .execute(this::restart);
    }

    private synchronized void restart() {
        if (endExpected) return;
        try {
            launch();
            out.printf(Locale.ROOT, "Restarted %s, pid %d%n", name, pid());
        } catch (StartFailure failure) {
            out.println(failure.getMessage());
            // If only writing the pid file failed, the program runs and is restarted when it exits.
            if (process == null || !process.isAlive()) restartLater();
        }
        out.flush();
    }

    private void stopOrphan() {
        orphan().ifPresent(orphan -> {
            out.println("Stopping " + name + " of an earlier start (pid " + orphan.pid() + ")");
            orphan.destroy();
            try {
                orphan.onExit().get(STOP_LIMIT.toSeconds(), TimeUnit.SECONDS);
            } catch (TimeoutException | ExecutionException slow) {
                orphan.destroyForcibly();
                orphan.onExit().join();
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
        });
    }

    /** Returns the process of the pid file if it is this program, started with this directory. */
    private Optional<ProcessHandle> orphan() {
        try {
            return ProcessHandle.of(Long.parseLong(Files.readString(pidFile()).strip()))
                    .filter(this::isThisProgram);
        } catch (IOException | NumberFormatException none) {
            return Optional.empty();
        }
    }

    private boolean isThisProgram(ProcessHandle handle) {
        String[] arguments = handle.info().arguments().orElse(new String[0]);
        return List.of(arguments).contains(MARK + data + "/" + name);
    }

    /**
     * Waits until {@code GET /health} returns 200.
     *
     * @throws StartFailure if the program exits or is not healthy within 90 s
     */
    public void awaitHealthy() {
        long deadline = System.nanoTime() + START_LIMIT.toNanos();
        HttpRequest health = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/health"))
                .timeout(Duration.ofSeconds(2))
                .build();
        while (true) {
            try {
                if (http.send(health, HttpResponse.BodyHandlers.discarding()).statusCode() == 200) {
                    synchronized (this) {
                        wasHealthy = true;
                    }
                    return;
                }
            } catch (IOException notYet) {
                // It is still starting.
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                return;
            }
            synchronized (this) {
                if (endExpected) return;
                if (!wasHealthy && process != null && !process.isAlive())
                    throw new StartFailure(name + " exited with code " + process.exitValue() + "; see " + log());
            }
            if (System.nanoTime() > deadline)
                throw new StartFailure(name + " is not healthy after " + START_LIMIT.toSeconds() + " s; see " + log());
            try {
                TimeUnit.MILLISECONDS.sleep(100);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    /**
     * Waits until the program has another process than {@code before} and is healthy.
     *
     * @throws StartFailure if that takes longer than 90 s
     */
    public void awaitRestart(long before) throws InterruptedException {
        long deadline = System.nanoTime() + START_LIMIT.toNanos();
        while (pid() == before) {
            if (System.nanoTime() - deadline > 0)
                throw new StartFailure(name + " did not restart within " + START_LIMIT.toSeconds() + " s");
            TimeUnit.MILLISECONDS.sleep(100);
        }
        awaitHealthy();
    }

    synchronized void expectEnd() {
        endExpected = true;
    }

    synchronized void terminate() {
        endExpected = true;
        if (process != null) process.destroy();
    }

    void awaitEnd() {
        Process ending;
        synchronized (this) {
            ending = process;
        }
        if (ending == null) return;
        try {
            if (!ending.waitFor(STOP_LIMIT.toSeconds(), TimeUnit.SECONDS)) {
                out.println(name + " did not stop within " + STOP_LIMIT.toSeconds() + " s; killing it");
                ending.destroyForcibly().waitFor();
            }
            Files.deleteIfExists(pidFile());
        } catch (IOException leftBehind) {
            out.println("cannot delete " + pidFile());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
