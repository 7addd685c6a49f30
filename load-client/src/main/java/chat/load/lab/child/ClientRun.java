package chat.load.lab.child;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Runs the load client as a child process. The child writes its {@code summary.json} into its own folder. */
public final class ClientRun {
    public static final String LOG = "client.log";
    /** The client has only sockets to close. */
    private static final Duration GRACE = Duration.ofSeconds(5);

    private final Children children;
    private final Child child;
    private final Path folder;

    private ClientRun(Children children, Child child, Path folder) {
        this.children = children;
        this.child = child;
        this.folder = folder;
    }

    /**
     * Result of a run.
     *
     * @param exitCode 0 all checks passed, 1 a check failed, 2 nothing was judged
     * @param summary the client's summary; null if it is missing or unreadable
     * @param lastLines end of its output
     */
    public record Ended(int exitCode, @Nullable JsonNode summary, List<String> lastLines) {
        public boolean passed() {
            return exitCode == 0;
        }
    }

    /**
     * @param client how to start the load client: {@link LoadClientCommand#own}
     * @param arguments a scenario and its options, without {@code --out}
     * @param folder for its summary and {@value #LOG}; created if necessary
     */
    public static ClientRun start(Children children, List<String> client, List<String> arguments, Path folder)
            throws IOException {
        Files.createDirectories(folder);
        Files.deleteIfExists(folder.resolve("summary.json"));
        return new ClientRun(
                children,
                children.start(new Launch(command(client, arguments, folder), Map.of(), folder.resolve(LOG), GRACE)),
                folder);
    }

    /** Returns the whole command line. */
    public static List<String> command(List<String> client, List<String> arguments, Path folder) {
        List<String> command = new ArrayList<>(client);
        command.addAll(arguments);
        command.addAll(List.of("--out", folder.toString()));
        return command;
    }

    public boolean isAlive() {
        return child.isAlive();
    }

    /**
     * Waits for the run to end.
     *
     * @return null if the run exceeded the limit and was stopped
     */
    public @Nullable Ended await(Duration limit) throws InterruptedException {
        try {
            if (!child.waitFor(limit)) return null;
            return new Ended(child.exitCode(), summary(), child.lastLines(20));
        } finally {
            children.stop(child);
        }
    }

    public void stop() {
        children.stop(child);
    }

    private @Nullable JsonNode summary() {
        try {
            return JsonMapper.shared().readTree(Files.readAllBytes(folder.resolve("summary.json")));
        } catch (IOException | JacksonException none) {
            return null;
        }
    }
}
