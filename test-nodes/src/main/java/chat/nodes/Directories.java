package chat.nodes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Creates and deletes the directories of nodes. */
final class Directories {
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

    /**
     * Deletes a directory and its contents; deletes links without following them. Does nothing if it does not exist.
     */
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
