package chat.bench.platform;

import chat.load.lab.child.Child;
import chat.load.lab.child.Children;
import chat.load.lab.child.Launch;
import chat.nodes.Directories;
import chat.nodes.Processes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Starts platforms with {@code ./run}, each in its own directory below a temporary one. On {@link #close}, Ctrl-C or
 * SIGTERM stops all platforms and loads and deletes the directory.
 */
public final class Platforms implements AutoCloseable {
    /** {@code ./run} itself kills a program that does not stop within 30 s. */
    private static final Duration GRACE = Duration.ofMinutes(2);

    private static final long POLL_MILLIS = 200;

    private final Checkout own;
    private final Path work;
    private final Children children = new Children();
    private final Map<String, Platform> running = new LinkedHashMap<>();
    private final Thread hook = new Thread(this::close, "stop platforms");

    public Platforms(Checkout own) throws IOException {
        this.own = own;
        this.work = Directories.temporary("confab-benchmark");
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** Returns the checkout whose scripts start the platforms. */
    public Checkout own() {
        return own;
    }

    Children children() {
        return children;
    }

    Path work() {
        return work;
    }

    /** Returns the path of a file that is deleted on {@link #close}. */
    public Path file(String name) {
        return work.resolve(name);
    }

    /** The data directory of a platform. */
    Path directory(String name) {
        return work.resolve(name);
    }

    /** Starts a platform of this checkout: {@link #start(String, Checkout, int, int, Map)}. */
    public Platform start(String name, int port, int servers, Map<String, String> environment)
            throws IOException, InterruptedException {
        return start(name, own, port, servers, environment);
    }

    /**
     * Starts a platform and returns when it is ready. A later start with the same name finds the same data.
     *
     * @param checkout the code to run
     * @param port of the first server
     * @param servers number of chat servers; 0: everything in one process, with the log in memory
     */
    public Platform start(String name, Checkout checkout, int port, int servers, Map<String, String> environment)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(checkout.script("run")));
        if (servers > 0) command.addAll(List.of("--servers", Integer.toString(servers), "--open"));
        command.addAll(List.of(
                "--port", Integer.toString(port), "--dir", directory(name).toString()));
        Path log = work.resolve(name + ".out");
        Files.deleteIfExists(log);
        Child run = children.start(new Launch(command, environment, log, GRACE));
        // The last line that ./run prints when everything is up.
        String ready = servers > 0 ? "Pids " : "Data ";
        Optional<String> line = line(log, ready);
        while (line.isEmpty()) {
            if (!run.isAlive())
                throw new MeasurementFailure(
                        "Platform " + name + " exited: " + String.join(System.lineSeparator(), run.lastLines(5)));
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
            line = line(log, ready);
        }
        Platform platform = new Platform(name, run, servers > 0 ? line.get() : "");
        synchronized (this) {
            running.put(name, platform);
        }
        return platform;
    }

    private static Optional<String> line(Path log, String start) throws IOException {
        // The last line may be incomplete.
        String text = Files.readString(log);
        return text.substring(0, text.lastIndexOf('\n') + 1)
                .lines()
                .map(String::strip)
                .filter(line -> line.startsWith(start))
                .findFirst();
    }

    /** Pauses a platform's consumer until the platform stops. The log keeps the messages. */
    public void pauseConsumer(Platform platform) {
        handles(platform).forEach(Processes::suspend);
    }

    private static Stream<ProcessHandle> handles(Platform platform) {
        return platform.consumers().stream().flatMap(pid -> ProcessHandle.of(pid).stream());
    }

    /** Stops all running platforms. */
    public void stopAll() {
        List<Platform> stopping;
        synchronized (this) {
            stopping = List.copyOf(running.values());
            running.clear();
        }
        // A paused process would ignore SIGTERM.
        for (Platform platform : stopping) handles(platform).forEach(Processes::resume);
        for (Platform platform : stopping) children.stop(platform.run());
    }

    @Override
    public void close() {
        stopAll();
        children.close();
        delete(work);
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException shuttingDown) {
            // The hook itself runs, or finds nothing to stop.
        }
    }

    private static void delete(Path directory) {
        try {
            Directories.delete(directory);
        } catch (IOException stillWritten) {
            // The system deletes temporary files.
        }
    }
}
