package chat.nodes;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;

/**
 * Copies the data of a PostgreSQL server on this machine, to start a replica. Uses the low-level backup interface,
 * because the bundled programs lack {@code pg_basebackup}.
 *
 * @see <a href="https://www.postgresql.org/docs/current/continuous-archiving.html#BACKUP-LOWLEVEL-BASE-BACKUP">a base
 *     backup by the low-level interface</a>
 */
final class BaseBackup {
    /** Not copied: the new server creates them or receives them by streaming. */
    private static final Set<String> EMPTY = Set.of(
            "pg_wal",
            "pg_replslot",
            "pg_dynshmem",
            "pg_notify",
            "pg_serial",
            "pg_snapshots",
            "pg_stat_tmp",
            "pg_subtrans");

    private static final Set<String> OF_A_PROCESS = Set.of("postmaster.pid", "postmaster.opts");
    private static final Path CONTROL = Path.of("global", "pg_control");

    private BaseBackup() {}

    /** @param target must not exist; afterwards the data directory of a standby */
    static void copy(PostgresNode source, Path target) {
        try (Connection connection = DriverManager.getConnection(source.jdbcUrl(), source.user(), source.password());
                Statement statement = connection.createStatement()) {
            // Fast: an immediate checkpoint. Later writes are in the WAL that the replica will request.
            statement.execute("SELECT pg_backup_start('replica', true)");
            copyFiles(source.data(), target);
            try (ResultSet label = statement.executeQuery("SELECT labelfile FROM pg_backup_stop(false)")) {
                if (!label.next()) throw new NodeException("PostgreSQL returned no label for its backup");
                Files.writeString(target.resolve("backup_label"), label.getString(1), StandardCharsets.UTF_8);
            }
            Files.createFile(target.resolve("standby.signal"));
        } catch (SQLException | IOException failure) {
            throw new NodeException("Cannot copy the data of " + source.data() + ": " + failure.getMessage(), failure);
        }
    }

    private static void copyFiles(Path source, Path target) throws IOException {
        Files.walkFileTree(source, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes)
                    throws IOException {
                Path inside = source.relativize(directory);
                // With its attributes: PostgreSQL rejects data that other users may read.
                Files.copy(directory, target.resolve(inside.toString()), StandardCopyOption.COPY_ATTRIBUTES);
                if (!EMPTY.contains(inside.toString())) return FileVisitResult.CONTINUE;
                if (inside.endsWith("pg_wal"))
                    Files.createDirectory(target.resolve(inside).resolve("archive_status"));
                return FileVisitResult.SKIP_SUBTREE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Path inside = source.relativize(file);
                if (!OF_A_PROCESS.contains(inside.toString()) && !inside.equals(CONTROL)) copyIfThere(file, inside);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
                if (failure instanceof NoSuchFileException) return FileVisitResult.CONTINUE;
                throw failure;
            }

            // Tables may be dropped during the copy; the WAL drops them as well.
            private void copyIfThere(Path file, Path inside) throws IOException {
                try {
                    Files.copy(file, target.resolve(inside), StandardCopyOption.COPY_ATTRIBUTES);
                } catch (NoSuchFileException gone) {
                    Files.deleteIfExists(target.resolve(inside));
                }
            }
        });
        // Last, as PostgreSQL's own tool does: it contains the latest position at which recovery may start.
        Files.copy(source.resolve(CONTROL), target.resolve(CONTROL), StandardCopyOption.COPY_ATTRIBUTES);
    }
}
