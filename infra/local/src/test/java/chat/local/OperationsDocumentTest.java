package chat.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** docs/operations.md is what operators have: it must name every environment variable with the default it has. */
class OperationsDocumentTest {
    private static final Path ROOT = Path.of("..", "..");
    private static final List<Path> SETTINGS = List.of(
            ROOT.resolve("chat-server/src/main/resources/chat-server.yml"),
            ROOT.resolve("persistence-consumer/src/main/resources/persistence-consumer.yml"),
            ROOT.resolve("infra/local/src/main/resources/confab-local.yml"),
            ROOT.resolve("infra/local/src/main/resources/confab-one-process.yml"));
    private static final Pattern VARIABLE = Pattern.compile("\\$\\{(CHAT_[A-Z_]+):([^}]*)}");

    record Variable(String name, String defaultValue) {}

    static Stream<Variable> variables() {
        return SETTINGS.stream().flatMap(OperationsDocumentTest::variables);
    }

    private static Stream<Variable> variables(Path yaml) {
        return VARIABLE.matcher(read(yaml)).results().map(found -> new Variable(found.group(1), found.group(2)));
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    @ParameterizedTest
    @MethodSource("variables")
    void everyVariableStandsThereWithItsDefault(Variable variable) {
        String shown = variable.defaultValue().isEmpty() ? "empty" : "`" + variable.defaultValue() + "`";
        assertThat(read(ROOT.resolve("docs/operations.md")).lines())
                .anyMatch(line -> line.startsWith("| `%s` | %s |".formatted(variable.name(), shown)));
    }
}
