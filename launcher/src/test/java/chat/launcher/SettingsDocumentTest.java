package chat.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import chat.launcher.SettingsFile.Line;
import chat.launcher.SettingsRecords.Setting;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Generates docs/reference/settings.md from the programs' YAML files and from the Javadoc of the records that hold the
 * settings, and compares. {@code -Dconfab.write=true} writes the page.
 */
class SettingsDocumentTest {
    private static final Path ROOT = TestPlaces.root();
    private static final Path DOCUMENT = ROOT.resolve("docs/reference/settings.md");

    private static final String HEAD = """
            # Settings

            Most installations set only the settings that [production](../guide/production.md#4-programs-and-settings) names.

            - Set a value as an environment variable, on the command line (`--chat.server.id=one`), in `chat-server.yml` or
              `persistence-consumer.yml` in the working directory, or as a file named like the variable:
              `SPRING_CONFIG_IMPORT=configtree:/run/secrets/`.
            - Durations: `500ms`, `15s`, `2m`, `1d`. Sizes: `512KB`, `1MB`; a number alone is in bytes. Separate the elements of a
              list by commas.

            A test generates this page:

            ```sh
            ./mvnw -q -pl launcher -am test -Dtest=SettingsDocumentTest -Dsurefire.failIfNoSpecifiedTests=false -Dconfab.write=true
            ```
            """;

    private final Map<String, Setting> records = new SettingsRecords(sources()).settings();

    /** The main sources of all modules. */
    static List<Path> sources() {
        try (Stream<Path> modules = Files.list(ROOT)) {
            return modules.map(module -> module.resolve("src/main/java"))
                    .filter(Files::isDirectory)
                    .sorted()
                    .toList();
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    private static Map<String, Line> lines(String file) {
        return SettingsFile.lines(ROOT.resolve(file)).stream()
                .filter(line -> line.name().startsWith("chat."))
                .collect(Collectors.toMap(Line::name, line -> line, (first, second) -> first, LinkedHashMap::new));
    }

    private static Map<String, Line> chatServer() {
        return lines("chat-server/src/main/resources/chat-server.yml");
    }

    private static Map<String, Line> consumer() {
        return lines("persistence-consumer/src/main/resources/persistence-consumer.yml");
    }

    private static Map<String, Line> oneProcess() {
        return lines("launcher/src/main/resources/confab-one-process.yml");
    }

    @Test
    void documentHoldsEverySettingWithItsDefault() throws IOException {
        Map<String, Line> server = chatServer();
        Map<String, Line> consumer = consumer();
        Map<String, Line> oneProcess = oneProcess();
        String expected = HEAD
                + section("Chat server and consumer", server, name -> consumer.containsKey(name))
                + section("Chat server", server, name -> !consumer.containsKey(name))
                + section("Consumer", consumer, name -> !server.containsKey(name))
                + section(
                        "One process (`./run`) only",
                        oneProcess,
                        name -> !server.containsKey(name) && !consumer.containsKey(name));
        if (Boolean.getBoolean("confab.write")) Files.writeString(DOCUMENT, expected);
        assertThat(Files.readString(DOCUMENT))
                .as("generated from the settings; its first lines say how to write it")
                .isEqualTo(expected);
    }

    @Test
    void everySettingOfARecordIsInAYamlFile() {
        Set<String> shown = new HashSet<>(chatServer().keySet());
        shown.addAll(consumer().keySet());
        assertThat(shown).containsAll(records.keySet());
    }

    @Test
    void everySettingIsExplained() {
        assertThat(Stream.of(chatServer(), consumer(), oneProcess()).flatMap(lines -> lines.values().stream()))
                .allSatisfy(line -> assertThat(meaning(line)).as(line.name()).isNotBlank());
    }

    private String section(String title, Map<String, Line> lines, Predicate<String> belongs) {
        String rows = lines.values().stream()
                .filter(line -> belongs.test(line.name()))
                .map(this::row)
                .collect(Collectors.joining());
        return "\n## " + title + "\n\n| setting | default | variable | meaning |\n|---|---|---|---|\n" + rows;
    }

    private String row(Line line) {
        String variable = line.variable() == null ? derived(line.name()) : "`" + line.variable() + "`";
        return "| `" + line.name() + "` | " + defaults(line) + " | " + variable + " | " + meaning(line) + " |\n";
    }

    /** The programs have mostly the same default; the others follow with their program. */
    private static String defaults(Line line) {
        StringBuilder text = new StringBuilder(shown(line.value()));
        Line consumer = consumer().get(line.name());
        if (consumer != null && !consumer.value().equals(line.value()))
            text.append("; consumer: ").append(shown(consumer.value()));
        Line oneProcess = oneProcess().get(line.name());
        if (oneProcess != null && !oneProcess.value().equals(line.value()))
            text.append("; one process: ").append(shown(oneProcess.value()));
        return text.toString();
    }

    private static String shown(String value) {
        return value.isEmpty() ? "empty" : "`" + value + "`";
    }

    /** As Spring Boot finds a setting in the environment; it does not find names with capitals there. */
    private static String derived(String name) {
        if (!name.equals(name.toLowerCase(Locale.ROOT))) return "none";
        return "`" + name.toUpperCase(Locale.ROOT).replace("-", "").replace('.', '_') + "`";
    }

    /** The Javadoc of the setting's record, or else the comment in the YAML file. */
    private String meaning(Line line) {
        Setting setting = records.get(line.name());
        return setting == null || setting.meaning().isEmpty() ? line.comment() : setting.meaning();
    }
}
