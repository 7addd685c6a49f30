package chat.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import chat.launcher.SettingsFile.Line;
import chat.launcher.SettingsRecords.Setting;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * docs/reference/settings.md is made of the programs' YAML files and of the comments of the records that settings become: it holds
 * every setting. {@code -Dconfab.write=true} writes it.
 */
class SettingsDocumentTest {
    private static final Path ROOT = TestPlaces.root();
    private static final Path DOCUMENT = ROOT.resolve("docs/reference/settings.md");
    private static final Pattern EXPLAINED = Pattern.compile("(?m)^\\| `(CHAT_[A-Z_]+)` \\| .*? \\| (.*) \\|$");

    private static final String HEAD = """
            # Settings

            Every setting of every program with its default. This page is made of the programs' YAML files and of their
            sources; a test compares the two. To write it again:

            ```sh
            ./mvnw -q -pl launcher -am test -Dtest=SettingsDocumentTest -Dsurefire.failIfNoSpecifiedTests=false -Dconfab.write=true
            ```

            A setting is given as an environment variable, by its name on the command line (`--chat.server.id=one`), or in
            `application.yml` beside the program. A directory of files is read, too, one for each variable, named like it:
            `SPRING_CONFIG_IMPORT=configtree:/run/secrets/`. That is how to give secrets. A value that makes no sense ends the
            program at its start, with a message that names the setting.

            - **duration**: `500ms`, `15s`, `2m`, `1d`; **size**: `512KB`, `1MB`, a number alone is in bytes.
            - **number**: whole.

            What is most often set, and the tables of what it costs: [operations](operations.md).
            """;

    private final Map<String, Setting> records = new SettingsRecords(sources()).settings();
    private final Map<String, String> explained = explained();

    /** All programs' own. */
    static List<Path> sources() {
        try (Stream<Path> modules = Files.list(ROOT);
                Stream<Path> infra = Files.list(ROOT.resolve("infra"))) {
            return Stream.concat(modules, infra)
                    .map(module -> module.resolve("src/main/java"))
                    .filter(Files::isDirectory)
                    .sorted()
                    .toList();
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    private static List<Line> lines(String program, String file) {
        return SettingsFile.lines(ROOT.resolve(program + "/src/main/resources/" + file));
    }

    private static List<Line> chatServer() {
        return lines("chat-server", "chat-server.yml");
    }

    private static List<Line> consumer() {
        return lines("persistence-consumer", "persistence-consumer.yml");
    }

    private static List<Line> oneProcess() {
        return lines("launcher", "confab-one-process.yml");
    }

    @Test
    void theDocumentHoldsEverySettingAsItIs() throws IOException {
        String expected = HEAD
                + program("Chat server", chatServer())
                + program("Consumer", consumer())
                + program("Both in one process: what `./run` has besides, or otherwise", oneProcess());
        if (Boolean.getBoolean("confab.write")) Files.writeString(DOCUMENT, expected);
        assertThat(Files.readString(DOCUMENT))
                .as("made from the settings; see its first lines for how to write it again")
                .isEqualTo(expected);
    }

    @Test
    void everySettingOfARecordStandsInAYamlFile() {
        List<String> shown = Stream.concat(chatServer().stream(), consumer().stream())
                .map(Line::name)
                .toList();
        assertThat(shown).containsAll(records.keySet());
    }

    @Test
    void everySettingOfOursIsExplained() {
        assertThat(Stream.of(chatServer(), consumer(), oneProcess())
                        .flatMap(List::stream)
                        .filter(line -> line.name().startsWith("chat.")))
                .allSatisfy(line -> assertThat(meaning(line)).as(line.name()).isNotBlank());
    }

    private String program(String title, List<Line> lines) {
        Map<String, StringBuilder> tables = new LinkedHashMap<>();
        for (Line line : lines) {
            String group = line.name().startsWith("chat.") ? group(line.name()) : "Spring Boot";
            tables.computeIfAbsent(group, unused -> new StringBuilder()).append(row(line));
        }
        StringBuilder text = new StringBuilder("\n## ").append(title).append('\n');
        tables.forEach((group, rows) -> text.append("\n### ")
                .append(group.startsWith("chat.") ? "`" + group + "`" : group + "'s, as this program sets them")
                .append("\n\n| setting | kind | default | variable | meaning |\n|---|---|---|---|---|\n")
                .append(rows));
        return text.toString();
    }

    /** The first three words of a name, or all but the last where there are fewer. */
    private static String group(String name) {
        String[] words = name.split("\\.", -1);
        return String.join(".", List.of(words).subList(0, Math.min(3, words.length - 1)));
    }

    private String row(Line line) {
        String variable = line.variable() == null ? derived(line.name()) : "`" + line.variable() + "`";
        Setting setting = records.get(line.name());
        return "| `%s` | %s | %s | %s | %s |%n"
                .formatted(
                        line.name(),
                        setting == null ? kind(line.value()) : kind(setting),
                        line.value().isEmpty() ? "empty" : "`" + line.value() + "`",
                        variable,
                        meaning(line))
                .replace("\r", "");
    }

    /** As Spring Boot finds a setting in the environment; it does not find names with capitals there. */
    private static String derived(String name) {
        if (!name.equals(name.toLowerCase(Locale.ROOT))) return "none";
        return "`" + name.toUpperCase(Locale.ROOT).replace("-", "").replace('.', '_') + "`";
    }

    private static String kind(Setting setting) {
        return switch (setting.type()) {
            case "Duration" -> "duration";
            case "DataSize" -> "size";
            case "int", "long", "Integer", "Long" -> "number";
            case "double" -> "decimal";
            case "boolean" -> "true or false";
            default ->
                setting.type().startsWith("List") || setting.type().startsWith("Set") ? "list, with commas" : "text";
        };
    }

    private static String kind(String value) {
        if (value.matches("\\d+(ms|s|m|h|d)")) return "duration";
        if (value.matches("\\d+(B|KB|MB|GB)")) return "size";
        if (value.matches("\\d+")) return "number";
        return value.matches("true|false") ? "true or false" : "text";
    }

    /** The operators' text where there is one, then the source's, then what stands beside it in the file. */
    private String meaning(Line line) {
        Setting setting = records.get(line.name());
        String operators = explained.getOrDefault(String.valueOf(line.variable()), "");
        if (!operators.isEmpty() && !operators.equals("as above")) return operators;
        return setting == null || setting.meaning().isEmpty() ? line.comment() : setting.meaning();
    }

    private static Map<String, String> explained() {
        Map<String, String> found = new HashMap<>();
        try {
            Matcher row = EXPLAINED.matcher(Files.readString(ROOT.resolve("docs/guide/operations.md")));
            while (row.find()) found.putIfAbsent(row.group(1), links(row.group(2)));
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
        return found;
    }

    /** Links within docs/guide/operations.md lead there from elsewhere. */
    private static String links(String text) {
        return text.replace("](#", "](operations.md#");
    }
}
