package chat.load.lab.query;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Writes {@code summary.json} into a run's folder. */
public final class QuerySummaryFile {
    private static final JsonMapper JSON =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

    private QuerySummaryFile() {}

    /** @return the file */
    public static Path write(Path folder, QuerySummary summary) throws IOException {
        Path file = Files.createDirectories(folder).resolve("summary.json");
        try {
            Files.write(file, JSON.writeValueAsBytes(summary));
        } catch (JacksonException unwritable) {
            throw new IOException("could not write " + file, unwritable);
        }
        return file;
    }
}
