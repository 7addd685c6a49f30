package chat.nodes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Runs a PostgreSQL primary and a streaming replica that serves reads and can be promoted. Replication is asynchronous:
 * a promotion loses the latest commits unless their writer repeats them.
 *
 * <p>Thread-safe; starting, promoting and stopping wait for each other.
 */
public final class PostgresPair implements AutoCloseable {
    private static final String PASSWORD = "password";

    private final Path directory;
    private final Consumer<String> progress;
    private final List<PostgresNode> nodes;

    /**
     * @param directory directory of the first server's data in {@code postgres}, the second's in {@code postgres-2}
     * @param ports ports of the two servers on 127.0.0.1
     * @param progress receives short messages about what is being waited for
     */
    public PostgresPair(Path directory, List<Integer> ports, Consumer<String> progress) {
        if (ports.size() != 2) throw new IllegalArgumentException("ports must be 2, not " + ports.size());
        this.directory = Directories.real(directory);
        this.progress = progress;
        this.nodes = List.of(
                node("postgres", ports.getFirst(), ports.getLast()),
                node("postgres-2", ports.getLast(), ports.getFirst()));
    }

    private PostgresNode node(String name, int port, int other) {
        PostgresSettings settings = PostgresSettings.in(directory.resolve(name))
                .withPort(port)
                .withProgress(progress)
                .withConfiguration(List.of(
                        // Has an effect only on a server with a standby.signal in its data.
                        String.format(
                                Locale.ROOT,
                                "primary_conninfo = 'host=127.0.0.1 port=%d user=confab passfile=''%s'' application_name=%s'",
                                other,
                                passwords(),
                                name),
                        "hot_standby_feedback = on",
                        "wal_retrieve_retry_interval = 500ms",
                        // WAL for a replica that was down; after a longer outage the replica is copied again.
                        "wal_keep_size = 512MB"));
        return new PostgresNode(settings);
    }

    /** Returns the password file in libpq's format. */
    private Path passwords() {
        return directory.resolve("postgres-passwords");
    }

    /** Returns whether {@code postgres} is outdated because its replica was promoted; it must not be started alone. */
    public static boolean isSecondPrimary(Path directory) {
        Path first = directory.resolve("postgres/data");
        Path second = directory.resolve("postgres-2/data");
        if (!Files.exists(second.resolve("PG_VERSION")) || PostgresNode.isStandby(second)) return false;
        return PostgresNode.isStandby(first) || timeline(second) > timeline(first);
    }

    /** Returns the timeline, which each promotion increases: the first eight digits of the names of WAL files. */
    private static long timeline(Path data) {
        try (Stream<Path> files = Files.list(data.resolve("pg_wal"))) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.matches("[0-9A-F]{24}"))
                    .mapToLong(name -> Long.parseLong(name.substring(0, 8), 16))
                    .max()
                    .orElse(0);
        } catch (NoSuchFileException none) {
            return 0;
        } catch (IOException failure) {
            throw new NodeException("Cannot read " + data + ": " + failure, failure);
        }
    }

    /**
     * Starts the primary and its replica; copies the primary's data if the replica's directory is not a replica of it.
     *
     * @return this
     * @throws NodeException as {@link PostgresNode#start}
     */
    public synchronized PostgresPair start() {
        primary().start();
        follow();
        return this;
    }

    /** Returns the URL for writing, which selects the current primary. Without user and password. */
    public String writingUrl() {
        return url("primary");
    }

    /**
     * Returns the URL for reading, which selects a replica if there is one, else the primary. Without user and
     * password.
     */
    public String readingUrl() {
        return url("preferSecondary");
    }

    /** The driver caches a server's role for ten seconds by default. */
    private String url(String type) {
        return String.format(
                Locale.ROOT,
                "jdbc:postgresql://127.0.0.1:%d,127.0.0.1:%d/confab?targetServerType=%s&hostRecheckSeconds=1",
                nodes.getFirst().port(),
                nodes.getLast().port(),
                type);
    }

    public synchronized PostgresNode primary() {
        return isSecondPrimary(directory) ? nodes.getLast() : nodes.getFirst();
    }

    public synchronized PostgresNode replica() {
        return isSecondPrimary(directory) ? nodes.getFirst() : nodes.getLast();
    }

    /**
     * Promotes the replica to primary. The old primary must be stopped, because nothing else prevents writes to it.
     *
     * @return the new primary
     */
    public synchronized PostgresNode promote() {
        PostgresNode old = primary();
        PostgresNode next = replica();
        if (old.isRunning()) throw new NodeException("The primary still runs: stop it before promoting its replica");
        next.promote();
        return next;
    }

    /**
     * Starts the other server as a replica of the primary; does nothing if it runs. Deletes the data of a former
     * primary first, because it may contain commits that were not replicated.
     */
    public synchronized void follow() {
        PostgresNode primary = primary();
        PostgresNode replica = replica();
        if (replica.isRunning()) return;
        try {
            Path own = replica.data().resolveSibling(PASSWORD);
            Files.deleteIfExists(own);
            Private.write(own, primary.password());
            Files.deleteIfExists(passwords());
            Private.write(passwords(), "*:*:*:" + primary.user() + ":" + primary.password() + "\n");
            if (!PostgresNode.isStandby(replica.data())) {
                progress.accept("Copying PostgreSQL's replica from the primary");
                Path fresh = replica.data().resolveSibling("data.new");
                Directories.delete(fresh);
                BaseBackup.copy(primary, fresh);
                Directories.delete(replica.data());
                Files.move(fresh, replica.data());
            }
        } catch (IOException failure) {
            throw new NodeException("Cannot prepare the replica in " + replica.data() + ": " + failure, failure);
        }
        replica.start();
    }

    /** Stops the primary first: it waits until the replica has received everything. */
    @Override
    public synchronized void close() {
        NodeException failed = null;
        for (PostgresNode node : List.of(primary(), replica())) {
            try {
                node.close();
            } catch (NodeException failure) {
                failed = failure;
            }
        }
        if (failed != null) throw failed;
    }
}
