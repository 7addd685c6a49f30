package chat.nodes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/**
 * How to run a PostgreSQL server.
 *
 * @param directory holds all that is the server's: data, log, password; created if missing
 * @param temporary whether {@link PostgresNode#close} deletes the directory
 * @param port on 127.0.0.1; the same after a restart
 * @param maxConnections at most this many clients at a time
 * @param configuration lines of {@code postgresql.conf}, after ours
 * @param progress is told, on the caller's thread, in a few words what is being waited for
 */
public record PostgresSettings(
        Path directory,
        boolean temporary,
        int port,
        int maxConnections,
        List<String> configuration,
        Consumer<String> progress) {
    private static final int DEFAULT_MAX_CONNECTIONS = 100;

    public PostgresSettings {
        if (port < 1 || port > 65_535) {
            throw new IllegalArgumentException("port must be 1 to 65535");
        }
        if (maxConnections < 10) {
            throw new IllegalArgumentException("maxConnections must be at least 10");
        }
        configuration = List.copyOf(configuration);
    }

    /** A server on a free port whose data stays in {@code directory}, and no word of progress. */
    public static PostgresSettings in(Path directory) {
        return new PostgresSettings(directory, false, Ports.free(), DEFAULT_MAX_CONNECTIONS, List.of(), ignored -> {});
    }

    /** A server on a free port whose data is deleted when it is closed, and no word of progress. */
    public static PostgresSettings inTemporaryDirectory() {
        try {
            Path directory = Files.createTempDirectory("confab-postgres-");
            return new PostgresSettings(
                    directory, true, Ports.free(), DEFAULT_MAX_CONNECTIONS, List.of(), ignored -> {});
        } catch (IOException e) {
            throw new NodeException("Cannot create a temporary directory: " + e, e);
        }
    }

    public PostgresSettings withPort(int port) {
        return new PostgresSettings(directory, temporary, port, maxConnections, configuration, progress);
    }

    public PostgresSettings withMaxConnections(int maxConnections) {
        return new PostgresSettings(directory, temporary, port, maxConnections, configuration, progress);
    }

    PostgresSettings withConfiguration(List<String> configuration) {
        return new PostgresSettings(directory, temporary, port, maxConnections, configuration, progress);
    }

    public PostgresSettings withProgress(Consumer<String> progress) {
        return new PostgresSettings(directory, temporary, port, maxConnections, configuration, progress);
    }
}
