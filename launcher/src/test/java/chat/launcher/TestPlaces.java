package chat.launcher;

import chat.launcher.chaos.LoadRun;
import chat.launcher.platform.Cluster;
import chat.nodes.HaproxyConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Provides directories and programs for tests of whole platforms. */
final class TestPlaces {
    /** Timeout of a run of the load client. */
    static final Duration LIMIT = Duration.ofMinutes(3);

    private TestPlaces() {}

    /** Returns the checkout; Maven runs the tests of a module in the module's directory. */
    static Path root() {
        return Path.of("..").toAbsolutePath().normalize();
    }

    /** Returns a cluster in open mode that is not started. */
    static Cluster cluster(Path home, Cluster.Size size, Cluster.Ports ports, @Nullable String rabbitUri) {
        return cluster(home, size, ports, rabbitUri, Map.of());
    }

    /** @param variables additional environment variables of all programs */
    static Cluster cluster(
            Path home,
            Cluster.Size size,
            Cluster.Ports ports,
            @Nullable String rabbitUri,
            Map<String, String> variables) {
        Map<String, String> environment = new HashMap<>(variables);
        environment.put("CHAT_IDENTITY", "open");
        return new Cluster(
                home, size, ports, root(), rabbitUri, null, HaproxyConfig.Placement.PARTITION, environment, System.out);
    }

    /** Runs the load client with the arguments. */
    static LoadRun load(Path directory, String... arguments) throws IOException {
        // A restarting broker is unavailable for longer than five tries.
        List<String> all = new ArrayList<>(List.of("--retries=100"));
        all.addAll(List.of(arguments));
        return LoadRun.start(root(), Files.createTempFile(directory, "load", ".log"), "fanout", all);
    }
}
