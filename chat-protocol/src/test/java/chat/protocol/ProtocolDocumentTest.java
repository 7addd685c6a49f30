package chat.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Checks that docs/reference/protocol.md, the reference for client authors, lists every code of the source. */
class ProtocolDocumentTest {
    private static final Path DOCUMENT = Path.of("..", "docs", "reference", "protocol.md");

    private final List<String> lines;

    ProtocolDocumentTest() throws IOException {
        lines = Files.readAllLines(DOCUMENT);
    }

    @ParameterizedTest
    @EnumSource
    void everyErrorCodeIsInTheCatalogue(ErrorCode code) {
        String retry = code.retryable() ? "yes" : "no";
        assertThat(lines)
                .anyMatch(line -> line.startsWith(
                        String.format(Locale.ROOT, "| %d | `%s` | %s |", code.number(), code.name(), retry)));
    }

    @ParameterizedTest
    @EnumSource
    void everyCloseCodeIsInTheCatalogue(CloseCode code) {
        assertThat(lines)
                .anyMatch(line -> line.startsWith(
                        String.format(Locale.ROOT, "| %d | `%s` | %s |", code.number(), code.name(), code.reason())));
    }

    @ParameterizedTest
    @EnumSource
    void everyMessageTypeIsDocumented(MessageType type) {
        assertThat(lines).anyMatch(line -> line.startsWith("{\"messageType\":\"" + type + "\""));
    }
}
