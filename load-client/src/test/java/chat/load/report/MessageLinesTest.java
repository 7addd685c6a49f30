package chat.load.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MessageLinesTest {
    @Test
    void latencyIsWrittenInMilliseconds(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("messages.csv");
        try (MessageLines lines = new MessageLines(file)) {
            lines.add("TEXT", 12_345_678, 200, "lobby");
        }
        List<String> written = Files.readAllLines(file);
        assertThat(written).hasSize(2);
        assertThat(written.getLast()).endsWith(",TEXT,12.346,200,lobby");
    }
}
