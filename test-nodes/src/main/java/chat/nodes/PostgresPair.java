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
 * A PostgreSQL server that is written to, and a streaming replica of it that can be read and can take its place. The
 * replica is a moment behind: what was committed in that moment is gone when it is promoted, unless whoever wrote it
 * writes it again.
 *
 * <p>Safe for any thread; starting, promoting and stopping wait for each other.
 */
public final class PostgresPair implements AutoCloseable {
    private static final String PASSWORD = "password";

    private final Path directory;
    private final Consumer<String> progress;
    private final List<PostgresNode> nodes;

    /**
     * @param directory holds the first server's data in {@code postgres}, the second's in {@code postgres-2}
     * @param ports of the two on 127.0.0.1
     * @param progress is told in a few words what is being waited for
     */
    public PostgresPair(Path directory, List<Integer> ports, Consumer<String> progress) {
        if (ports.size() != 2) throw new IllegalArgumentException("a pair has two ports, not " + ports.size());
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
                        // Which of the two follows is said by a file in its data; until then this has no effect.
                        String.format(
                                Locale.ROOT,
                                "primary_conninfo = 'host=127.0.0.1 port=%d user=confab passfile=''%s'' application_name=%s'",
                                other,
                                passwords(),
                                name),
                        "hot_standby_feedback = on",
                        "wal_retrieve_retry_interval = 500ms",
                        // What a replica that was away finds again; one that was away for longer is copied anew.
                        "wal_keep_size = 512MB"));
        return new PostgresNode(settings);
    }

    /** As libpq reads it. */
    private Path passwords() {
        return directory.resolve("postgres-passwords");
    }

    /** Whether the data in {@code postgres} is not the newest, since its replica was promoted: it must not be started alone. */
    public static boolean isSecondPrimary(Path directory) {
        Path first = directory.resolve("postgres/data");
        Path second = directory.resolve("postgres-2/data");
        if (!Files.exists(second.resolve("PG_VERSION")) || PostgresNode.isStandby(second)) return false;
        return PostgresNode.isStandby(first) || timeline(second) > timeline(first);
    }

    /** Each promotion begins a new one; the log's files have it in the first eight digits of their names. */
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
     * Starts the primary, and a replica of it: where its data is not that, it is copied from the primary.
     *
     * @return this
     * @throws NodeException as {@link PostgresNode#start}
     */
    public synchronized PostgresPair start() {
        primary().start();
        follow();
        return this;
    }

    /** For who writes: whichever of the two is the primary. Without user and password. */
    public String writingUrl() {
        return url("primary");
    }

    /** For who only reads: a replica if there is one, else the primary. Without user and password. */
    public String readingUrl() {
        return url("preferSecondary");
    }

    /** The driver remembers what a server was for ten seconds, unless it is told otherwise. */
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
     * Makes the replica the primary. The old one must not run any more: nobody else keeps clients from writing to it.
     *
     * @return the new primary
     */
    public synchronized PostgresNode promote() {
        PostgresNode old = primary();
        PostgresNode next = replica();
        if (old.isRunning()) throw new NodeException("The primary still runs: stop it before its replica is promoted");
        next.promote();
        return next;
    }

    /**
     * Starts the other server as a replica of the primary; does nothing if it runs. What was the primary before a
     * promotion loses its data: it may have what its replica never got.
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
                progress.accept("PostgreSQL's replica is copied from the primary");
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

    /** The primary first: it waits until the replica has everything. */
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
