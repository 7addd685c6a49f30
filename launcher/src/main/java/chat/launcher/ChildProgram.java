package chat.launcher;

import chat.nodes.Ports;
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
 * One of Confab's programs as a child process. It is started again when it ends unasked, as a supervisor in production
 * would; its output goes to a file. What an earlier, killed run has left is found by its pid file and stopped first.
 */
final class ChildProgram {
    private static final Duration START_LIMIT = Duration.ofSeconds(90);
    private static final Duration STOP_LIMIT = Duration.ofSeconds(30);
    private static final long RESTART_DELAY_MILLIS = 1_000;
    private static final String MARK = "-Dconfab.child=";
    /** What the launcher reads by itself, and puts before the arguments: the latter win. */
    private static final String JAVA_OPTIONS = "JDK_JAVA_OPTIONS";
    /** By which options name the heap; an argument file may. */
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
    /** Once it has been healthy, its end is an accident; before, something is wrong with its settings. */
    private boolean wasHealthy;

    /** @param own environment of this program alone */
    ChildProgram(String name, Path jar, int port, Map<String, String> own, Path data, PrintStream out) {
        this.name = name;
        this.jar = jar;
        this.port = port;
        this.own = own;
        this.data = data;
        this.out = out;
    }

    /** The repository's directory, found from the jar that this JVM was started with. */
    static Path directoryOfPrograms() {
        Path own = Path.of(System.getProperty("java.class.path")).toAbsolutePath();
        Path root = own.resolve("../../..").normalize();
        if (!Files.exists(root.resolve("chat-server")))
            throw new StartFailure("--servers works from a checkout of Confab, where ./run has built the programs");
        return root;
    }

    String name() {
        return name;
    }

    int port() {
        return port;
    }

    synchronized boolean isStarted() {
        return process != null;
    }

    /** Ends the program as a crash would; it is started again. */
    synchronized void kill() {
        if (process != null) process.destroyForcibly();
    }

    /**
     * Ends the program in good order; it is started again.
     *
     * @return its exit code; empty where it takes longer than {@code limit}
     */
    OptionalInt stop(Duration limit) throws InterruptedException {
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

    synchronized long pid() {
        return process == null ? -1 : process.pid();
    }

    /** Says what would keep it from starting, before anything is started. */
    void check() {
        if (!Files.exists(jar)) throw new StartFailure("there is no " + jar + ": build it by ./mvnw package");
        stopOrphan();
        if (!Ports.isFree(port)) throw new StartFailure("port " + port + " of " + name + " is in use");
    }

    /** @param shared environment of all programs; its own comes on top */
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
            // As images and systemd units have it: what is left of a program whose memory was short is not to be
            // trusted.
            command.addAll(List.of(
                    "-XX:+UseCompactObjectHeaders",
                    "-XX:+ExitOnOutOfMemoryError",
                    // An idle program returns free heap to the operating system (G1).
                    "-XX:MinHeapFreeRatio=20",
                    "-XX:MaxHeapFreeRatio=40",
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
     * The bound of a program's heap, unless the user names one.
     *
     * @param javaOptions the user's, as in {@code JDK_JAVA_OPTIONS}
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
        out.printf(Locale.ROOT, "%s has ended with code %d; it is started again%n", name, which.exitValue());
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
            out.printf(Locale.ROOT, "%s runs again, pid %d%n", name, pid());
        } catch (StartFailure failure) {
            out.println(failure.getMessage());
            // One that runs all the same, and could only not be noted, is started again when it ends.
            if (process == null || !process.isAlive()) restartLater();
        }
        out.flush();
    }

    private void stopOrphan() {
        orphan().ifPresent(orphan -> {
            out.println("Stopping " + name + ", which an earlier run has left (pid " + orphan.pid() + ")");
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

    /** The process of the pid file, if it really is this program of this directory. */
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

    /** Returns when {@code GET /health} says UP. */
    void awaitHealthy() {
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
                    throw new StartFailure(
                            name + " has ended with code " + process.exitValue() + "; " + log() + " says why");
            }
            if (System.nanoTime() > deadline)
                throw new StartFailure(name + " does not come up; " + log() + " may say why");
            try {
                TimeUnit.MILLISECONDS.sleep(100);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                return;
            }
        }
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
                out.println(name + " does not stop; it is killed");
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
