package chat.load.lab.sample;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds database and {@code rabbitmqctl} in the directory in which {@code ./run} keeps its data, {@code .confab} by
 * default. They may belong to an earlier run whose programs have ended.
 */
final class PlatformDirectory {
    private final Path directory;

    PlatformDirectory(Path directory) {
        this.directory = directory;
    }

    /** Returns the databases of {@code --servers} and of the single process, as far as they exist. */
    List<Database> databases() {
        List<Database> databases = new ArrayList<>();
        for (Path servers : List.of(directory.resolve("servers"), directory)) {
            Map<String, String> environment = environment(servers.resolve("environment"));
            String url = environment.get("CHAT_POSTGRES_URL");
            if (url == null) continue;
            try {
                databases.add(Database.parse(url)
                        .as(
                                environment.getOrDefault("CHAT_POSTGRES_USER", ""),
                                environment.getOrDefault("CHAT_POSTGRES_PASSWORD", "")));
            } catch (IllegalArgumentException unknown) {
                // The programs understand this URL; here it counts as absent.
            }
        }
        Database own = oneProcess(directory.resolve("one-process/postgres"));
        if (own != null) databases.add(own);
        return databases;
    }

    @Nullable
    Path rabbitmqctl() {
        for (Path servers : List.of(directory.resolve("servers"), directory)) {
            Path script = servers.resolve("rabbitmqctl");
            if (Files.isExecutable(script)) return script;
        }
        return null;
    }

    /** Lines of {@code NAME='value'}, as a shell reads them. */
    private static Map<String, String> environment(Path file) {
        Map<String, String> environment = new HashMap<>();
        for (String line : lines(file)) {
            int equals = line.indexOf('=');
            if (equals < 0) continue;
            String value = line.substring(equals + 1);
            boolean quoted = value.length() >= 2 && value.startsWith("'") && value.endsWith("'");
            environment.put(line.substring(0, equals), quoted ? value.substring(1, value.length() - 1) : value);
        }
        return environment;
    }

    /** @see <a href="https://www.postgresql.org/docs/current/storage-file-layout.html">postmaster.pid</a> */
    private static @Nullable Database oneProcess(Path postgres) {
        List<String> password = lines(postgres.resolve("password"));
        List<String> postmaster = lines(postgres.resolve("data/postmaster.pid"));
        // Its lines: pid, directory, start, port.
        if (password.isEmpty() || postmaster.size() < 4) return null;
        String url = "jdbc:postgresql://127.0.0.1:" + postmaster.get(3).strip() + "/confab";
        return new Database(url, "confab", password.getFirst().strip());
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException notThere) {
            return List.of();
        }
    }
}
