package chat.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * docs/guide/operations.md is what operators have: it must name every environment variable with the default it has, and speak of
 * every setting and every fixed bound of the chat server.
 */
class OperationsDocumentTest {
    private static final Path ROOT = Path.of("..");
    private static final Path DOCUMENT = ROOT.resolve("docs/guide/operations.md");
    private static final List<Path> SETTINGS = List.of(
            ROOT.resolve("chat-server/src/main/resources/chat-server.yml"),
            ROOT.resolve("persistence-consumer/src/main/resources/persistence-consumer.yml"),
            ROOT.resolve("launcher/src/main/resources/confab-local.yml"),
            ROOT.resolve("launcher/src/main/resources/confab-one-process.yml"));
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

    /** By their full names, as the table of bounds has them, or by their variables. */
    static Stream<String> settingsOfTheChatServer() {
        return new SettingsRecords(SettingsDocumentTest.sources())
                .settings().keySet().stream()
                        .filter(name -> name.startsWith("chat.server.") || name.startsWith("chat.rabbitmq."));
    }

    @ParameterizedTest
    @MethodSource("settingsOfTheChatServer")
    void everySettingOfTheChatServerIsSpokenOf(String name) {
        assertThat(read(DOCUMENT)).containsAnyOf(waysToName(name).toArray(String[]::new));
    }

    private static List<String> waysToName(String name) {
        String variable = name.toUpperCase(Locale.ROOT).replace("-", "").replace('.', '_');
        List<String> ways = new ArrayList<>(List.of("`" + name + "`", "`" + variable + "`"));
        if (name.startsWith("chat.server.")) ways.add("`" + name.substring("chat.server.".length()) + "`");
        SettingsFile.lines(SETTINGS.getFirst()).stream()
                .filter(line -> line.name().equals(name) && line.variable() != null)
                .forEach(line -> ways.add("`" + line.variable() + "`"));
        return ways;
    }

    /** What is fixed stands in the source alone: each with what its line in the table of bounds begins with. */
    static Stream<Arguments> fixedBounds() {
        String chat = "chat-server/src/main/java/chat/server/";
        String log = "room-log/src/main/java/chat/log/";
        String protocol = "chat-protocol/src/main/java/chat/protocol/";
        return Stream.of(
                Arguments.of(chat + "room/CatchUp.java", "IDS_FROM_THE_LOG = 2_048", "ids that a member knows of"),
                Arguments.of(chat + "room/CatchUpScheduler.java", "USER_SHARE = 4", "pages that are read at once"),
                Arguments.of(chat + "room/CatchUpScheduler.java", "BURST_SECONDS = 8", "past messages of one user"),
                Arguments.of(chat + "admission/JoinRates.java", "SOCKETS = 20", "JOINs of one user"),
                Arguments.of(chat + "room/Room.java", "MAX_DEFERRED_ACKS = 10_000", "ACKs of a member that catches up"),
                Arguments.of(chat + "room/Room.java", "MAX_IDS_IN_ACK = 1_000", "ids in an ACK"),
                Arguments.of(chat + "room/DuplicateResponder.java", "MAX_WAITING = 1024", "answers to what was sent again"),
                Arguments.of(chat + "room/Frames.java", "MAX_BYTES = 128 * 1024", "a frame to members"),
                Arguments.of(chat + "room/TemporaryReaders.java", "TURN_BYTES = 32 << 20", "what a temporary reader"),
                Arguments.of(
                        chat + "room/TemporaryReaders.java", "PAGE_BYTES = 2 * Frames.MAX_BYTES", "a page that it"),
                Arguments.of(chat + "room/TemporaryReaders.java", "LAST_ENTRIES = 256", "how far back it looks"),
                Arguments.of(chat + "presence/PresenceNotifier.java", "MAX_NAMES = 1000", "names of members"),
                Arguments.of(chat + "presence/IncarnationState.java", "REMEMBERED_ENTRIES = 64", "a server's entries"),
                Arguments.of(
                        chat + "session/FrameGuard.java", "CLOSE_GRACE_MILLIS = 4_500", "how long a peer may take"),
                Arguments.of(chat + "session/FrameGuard.java", "REFUSED_GRACE_MILLIS = 1_000", "how long a peer may"),
                Arguments.of(
                        chat + "history/RestHistory.java",
                        "FrameRules.LONGEST_HISTORY * FrameRules.longestMessageBytes()",
                        "an answer |"),
                Arguments.of(
                        chat + "history/RestHistory.java", "LONGEST_WAIT = Duration.ofSeconds(30)", "questions to"),
                Arguments.of(
                        chat + "history/TokenFile.java", "MAX_BYTES = 16 * 1024", "the file with the server's own"),
                Arguments.of(log + "SeenRuns.java", "MAX_RUNS = 1024", "servers' runs of which a reader"),
                Arguments.of(log + "EntriesInFlight.java", "MAX = 32", "a partition's entries that are not read back"),
                Arguments.of(log + "InMemoryRoomLog.java", "CREDIT = 16", "its entries on their way to a reader"),
                Arguments.of(log + "Roster.java", "MAX_PARTS = 0xffff", "parts of a roster"),
                Arguments.of(log + "rabbit/Link.java", "setRequestedHeartbeat(30)", "a connection to RabbitMQ"),
                Arguments.of(protocol + "FrameDecoder.java", "MAX_OBJECTS = 1_000", "objects of a client's message"),
                Arguments.of(protocol + "FrameDecoder.java", "MAX_DEPTH = 8", "how deep a client's JSON"),
                Arguments.of(protocol + "ClientFrame.java", "MAX_LIMIT = 500", "members in an answer"),
                Arguments.of("service-kit/src/main/java/chat/kit/tracing/Tracing.java", "QUEUE = 2_048", "spans that wait"));
    }

    @ParameterizedTest
    @MethodSource("fixedBounds")
    void everyFixedBoundHasALine(String source, String constant, String line) {
        assertThat(read(ROOT.resolve(source))).contains(constant);
        assertThat(read(DOCUMENT).lines()).anyMatch(row -> row.startsWith("| " + line) && row.contains("fixed, "));
    }

    @ParameterizedTest
    @MethodSource("variables")
    void everyVariableStandsThereWithItsDefault(Variable variable) {
        String shown = variable.defaultValue().isEmpty() ? "empty" : "`" + variable.defaultValue() + "`";
        assertThat(read(DOCUMENT).lines())
                .anyMatch(line -> line.startsWith("| `%s` | %s |".formatted(variable.name(), shown)));
    }
}
