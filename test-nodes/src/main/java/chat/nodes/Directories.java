package chat.nodes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Directories as the nodes keep them. */
final class Directories {
    private Directories() {}

    /** Creates the directory if need be, and gives its one name, whatever links lead to it. */
    static Path real(Path directory) {
        try {
            Files.createDirectories(directory);
            return directory.toRealPath();
        } catch (IOException e) {
            throw new NodeException("Cannot create the directory " + directory + ": " + e, e);
        }
    }

    /** Deletes a directory with all it holds; links are deleted, not followed. Does nothing if it does not exist. */
    static void delete(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return;
        }
        List<Path> deepestFirst;
        try (Stream<Path> all = Files.walk(directory)) {
            deepestFirst = all.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path path : deepestFirst) {
            Files.deleteIfExists(path);
        }
    }
}
