package chat.nodes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/**
 * Configures a PostgreSQL server.
 *
 * @param directory directory of the server's data, log and password; created if missing
 * @param temporary whether {@link PostgresNode#close} deletes the directory
 * @param port port on 127.0.0.1; the same after a restart
 * @param maxConnections maximum number of client connections
 * @param configuration lines of {@code postgresql.conf}, after the default ones
 * @param progress receives, on the caller's thread, short messages about what is being waited for
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

    /**
     * Returns settings for a server on a free port that keeps its data in {@code directory}, without progress messages.
     */
    public static PostgresSettings in(Path directory) {
        return new PostgresSettings(directory, false, Ports.free(), DEFAULT_MAX_CONNECTIONS, List.of(), ignored -> {});
    }

    /** Returns settings for a server on a free port that deletes its data on close, without progress messages. */
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

    PostgresSettings withConfiguration(List<String> configuration) {
        return new PostgresSettings(directory, temporary, port, maxConnections, configuration, progress);
    }

    public PostgresSettings withProgress(Consumer<String> progress) {
        return new PostgresSettings(directory, temporary, port, maxConnections, configuration, progress);
    }
}
