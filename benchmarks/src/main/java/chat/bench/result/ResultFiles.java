package chat.bench.result;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The folder of results, as the command before all others names it. */
public interface ResultFiles {
    /** A name that is new, below the folder of results. */
    Path newFile(String kind, String extension) throws IOException;

    /** Writes results into a file that is new, and says which. */
    default void write(String kind, String extension, List<String> lines) throws IOException {
        Path file = newFile(kind, extension);
        Files.write(file, lines);
        System.err.println("Results: " + file);
    }
}
