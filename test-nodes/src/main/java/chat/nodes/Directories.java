package chat.nodes;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Creates and deletes directories. */
public final class Directories {
    private Directories() {}

    /** Creates the directory if necessary, and returns its real path without links. */
    static Path real(Path directory) {
        try {
            Files.createDirectories(directory);
            return directory.toRealPath();
        } catch (IOException e) {
            throw new NodeException("Cannot create the directory " + directory + ": " + e, e);
        }
    }

    /** Creates a directory below {@code TMPDIR}, or the system's directory for temporary files if that is not set. */
    public static Path temporary(String prefix) throws IOException {
        String parent = System.getenv().getOrDefault("TMPDIR", "");
        return parent.isEmpty()
                ? Files.createTempDirectory(prefix)
                : Files.createTempDirectory(Path.of(parent), prefix);
    }

    /** Copies a directory and its contents to {@code to}, which must not exist. */
    static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> all = Files.walk(from)) {
            for (Path path : (Iterable<Path>) all::iterator) Files.copy(path, to.resolve(from.relativize(path)));
        } catch (UncheckedIOException changing) {
            throw changing.getCause();
        }
    }

    /**
     * Deletes a directory and its contents; deletes links without following them. Does nothing if it does not exist.
     */
    public static void delete(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return;
        }
        List<Path> deepestFirst;
        try (Stream<Path> all = Files.walk(directory)) {
            deepestFirst = all.sorted(Comparator.reverseOrder()).toList();
        } catch (UncheckedIOException changing) {
            throw changing.getCause();
        }
        for (Path path : deepestFirst) {
            Files.deleteIfExists(path);
        }
    }
}
