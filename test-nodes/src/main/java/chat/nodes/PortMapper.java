package chat.nodes;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs Erlang's port mapper as a child process on 127.0.0.1, through which only the Erlang nodes of one cluster find
 * each other. The process survives if this JVM is killed; the next start on the directory finds and stops it.
 *
 * <p>Guarded by its owner's lock, except {@link #port}.
 */
final class PortMapper {
    private static final Duration START_TIMEOUT = Duration.ofSeconds(10);

    private final Path directory;
    private @Nullable Process process;
    private volatile int port;

    /** @param directory directory for its process id and, in {@code log}, its log */
    PortMapper(Path directory) {
        this.directory = directory;
    }

    /** Returns the port, which changes with each start. Any thread. */
    int port() {
        return port;
    }

    /** @param environment environment that the node sets for Erlang programs */
    void start(RabbitInstallation found, Consumer<Map<String, String>> environment) throws IOException {
        int chosen = Ports.free();
        port = chosen;
        Path log = Files.createDirectories(directory.resolve("log")).resolve("epmd.log");
        ProcessBuilder builder = Processes.deafToCtrlC(
                        found.epmd().toString(), "-port", Integer.toString(chosen), "-address", "127.0.0.1")
                .directory(directory.toFile())
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectErrorStream(true)
                .redirectOutput(log.toFile());
        environment.accept(builder.environment());
        Process started = builder.start();
        process = started;
        Files.writeString(file(), started.pid() + " " + chosen);
        long deadline = System.nanoTime() + START_TIMEOUT.toNanos();
        while (!Ports.accepts(chosen)) {
            if (!started.isAlive() || System.nanoTime() - deadline > 0)
                throw new NodeException("Erlang's port mapper did not start. It printed: "
                        + Files.readString(log, StandardCharsets.ISO_8859_1).strip());
            Processes.pause();
        }
    }

    void stop() {
        if (process != null) {
            Processes.kill(process.toHandle());
            process = null;
        }
    }

    /** Stops a process left by a killed JVM; its nodes must be stopped first. */
    void stopOrphan() {
        if (!Files.exists(file())) {
            return;
        }
        try {
            List<String> words = List.of(Files.readString(file()).strip().split(" "));
            if (words.size() == 2) {
                ProcessHandle.of(Long.parseLong(words.getFirst()))
                        .filter(process -> Processes.isMarked(process, "epmd", "-port " + words.getLast() + " "))
                        .ifPresent(Processes::kill);
            }
            Files.delete(file());
        } catch (IOException | NumberFormatException e) {
            throw new NodeException("Cannot read " + file() + ": remove it. " + e, e);
        }
    }

    private Path file() {
        return directory.resolve("epmd");
    }
}
