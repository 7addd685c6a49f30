package chat.nodes;

import io.zonky.test.db.postgres.embedded.DefaultPostgresBinaryResolver;
import io.zonky.test.db.postgres.util.ArchUtils;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.compressors.xz.XZCompressorInputStream;

/**
 * Unpacks PostgreSQL's programs from the class path, once per user. The directory is named after the archive's hash and
 * created atomically, so an existing directory is complete.
 */
final class PostgresBinaries {
    private static final int OWNER_EXECUTES = 0100;

    private PostgresBinaries() {}

    /** Returns the directory of {@code bin/postgres}. The first call takes a few seconds. */
    static Path unpacked(Path cache, Consumer<String> progress) {
        byte[] archive = archive();
        Path target = cache.resolve("postgres-" + hash(archive));
        if (Files.isDirectory(target)) {
            return target;
        }
        progress.accept("Unpacking PostgreSQL to " + target + " (once)");
        try {
            Files.createDirectories(cache);
            Path fresh = Files.createTempDirectory(cache, "unpacking-");
            try {
                unpack(archive, fresh);
                moveInto(fresh, target);
            } finally {
                Directories.delete(fresh);
            }
        } catch (IOException e) {
            throw new NodeException(
                    "Cannot unpack PostgreSQL to " + target + " (set XDG_CACHE_HOME to use another directory): " + e,
                    e);
        }
        return target;
    }

    /** Returns the user's cache, or {@code instead} if the user has no writable home, as in many containers. */
    static Path userCacheOr(Path instead) {
        Path cache = userCache();
        try {
            return cache.isAbsolute() ? Files.createDirectories(cache) : instead;
        } catch (IOException ignored) {
            return instead;
        }
    }

    /** Returns the system's directory for caches of this user. */
    private static Path userCache() {
        return userCache(System.getenv(), System.getProperty("user.home"), system());
    }

    static Path userCache(Map<String, String> environment, String home, String system) {
        String chosen = environment.getOrDefault("XDG_CACHE_HOME", "");
        if (!chosen.isBlank()) {
            return Path.of(chosen, "confab");
        }
        String local = environment.getOrDefault("LOCALAPPDATA", "");
        return switch (system) {
            case "darwin" -> Path.of(home, "Library", "Caches", "confab");
            case "windows" -> local.isBlank() ? Path.of(home, ".cache", "confab") : Path.of(local, "confab", "cache");
            default -> Path.of(home, ".cache", "confab");
        };
    }

    private static byte[] archive() {
        String system = system();
        String machine = System.getProperty("os.arch");
        try (InputStream in =
                DefaultPostgresBinaryResolver.INSTANCE.getPgBinary(system, ArchUtils.normalize(machine))) {
            return in.readAllBytes();
        } catch (IOException | RuntimeException e) {
            throw new NodeException(
                    "This build contains no PostgreSQL for " + system + " on " + machine
                            + ": build it on this kind of machine, or give the address of a PostgreSQL server",
                    e);
        }
    }

    /** Returns the system's name as in the names of the binaries. */
    private static String system() {
        String name = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
        if (name.startsWith("mac")) {
            return "darwin";
        }
        return Processes.onWindows() ? "windows" : "linux";
    }

    private static String hash(byte[] archive) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(archive);
            return HexFormat.of().formatHex(digest, 0, 8);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every JDK has SHA-256", e);
        }
    }

    private static void unpack(byte[] archive, Path directory) throws IOException {
        try (TarArchiveInputStream tar =
                new TarArchiveInputStream(new XZCompressorInputStream(new ByteArrayInputStream(archive)))) {
            for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                Path path = directory.resolve(entry.getName()).normalize();
                if (!path.startsWith(directory)) {
                    throw new IOException("an entry points outside the archive: " + entry.getName());
                }
                if (entry.isDirectory()) {
                    Files.createDirectories(path);
                    continue;
                }
                Files.createDirectories(path.getParent());
                if (entry.isSymbolicLink()) {
                    Files.createSymbolicLink(path, Path.of(entry.getLinkName()));
                } else if (entry.isLink()) {
                    Files.createLink(path, directory.resolve(entry.getLinkName()));
                } else {
                    Files.copy(tar, path);
                    if ((entry.getMode() & OWNER_EXECUTES) != 0
                            && !path.toFile().setExecutable(true, false)) {
                        throw new IOException("cannot make " + path + " executable");
                    }
                }
            }
        }
    }

    /** Another process may have created the directory at the same time; it is identical. */
    private static void moveInto(Path fresh, Path target) throws IOException {
        try {
            Files.move(fresh, target);
        } catch (FileAlreadyExistsException e) {
            if (!Files.isDirectory(target)) {
                throw e;
            }
        }
    }
}
