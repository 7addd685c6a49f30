package chat.bench.result;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Provides the directory for results that the main command selects. */
public interface ResultFiles {
    /** Returns a new file name in the directory for results. */
    Path newFile(String kind, String extension) throws IOException;

    /** Writes results into a new file and prints its name. */
    default void write(String kind, String extension, List<String> lines) throws IOException {
        Path file = newFile(kind, extension);
        Files.write(file, lines);
        System.err.println("Results: " + file);
    }
}
