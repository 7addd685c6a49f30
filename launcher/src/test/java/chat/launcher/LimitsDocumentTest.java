package chat.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** docs/reference/limits.md holds every bound that is a constant of the source. */
class LimitsDocumentTest {
    private static final Path ROOT = TestPlaces.root();
    private static final Path DOCUMENT = ROOT.resolve("docs/reference/limits.md");

    /** Each bound in the source with the first words of its row. */
    static Stream<Arguments> fixedBounds() {
        String chat = "chat-server/src/main/java/chat/server/";
        String log = "room-log/src/main/java/chat/log/";
        String protocol = "chat-protocol/src/main/java/chat/protocol/";
        return Stream.of(
                Arguments.of(chat + "room/BacklogPages.java", "MAX_IDS = 2_048", "message ids known to a member"),
                Arguments.of(chat + "room/CatchUpScheduler.java", "USER_SHARE = 4", "concurrent pages of one user"),
                Arguments.of(chat + "room/CatchUpScheduler.java", "BURST_SECONDS = 8", "history of one user"),
                Arguments.of(chat + "admission/JoinRates.java", "SOCKETS = 20", "immediate JOINs of one user"),
                Arguments.of(chat + "room/Membership.java", "MAX_DEFERRED_ACKS = 10_000", "ACKs held for a member"),
                Arguments.of(chat + "room/Room.java", "MAX_IDS_IN_ACK = 1_000", "ids in an ACK"),
                Arguments.of(chat + "room/DuplicateResponder.java", "MAX_WAITING = 1024", "waiting answers to resent"),
                Arguments.of(chat + "room/Frames.java", "MAX_BYTES = 128 * 1024", "frame to members"),
                Arguments.of(
                        chat + "room/BacklogRead.java",
                        "READ_BYTES = 32 << 20",
                        "entries that one read of a temporary"),
                Arguments.of(
                        chat + "room/BacklogRead.java",
                        "PAGE_BYTES = 2 * Frames.MAX_BYTES",
                        "page from a temporary reader"),
                Arguments.of(chat + "room/BacklogRead.java", "LAST_ENTRIES = 256", "search for the last messages"),
                Arguments.of(chat + "presence/PresenceNotifier.java", "MAX_NAMES = 1000", "member names in one"),
                Arguments.of(
                        chat + "presence/IncarnationState.java",
                        "REMEMBERED_ENTRIES = 64",
                        "entries kept to read a server's roster"),
                Arguments.of(
                        chat + "session/FrameGuard.java",
                        "CLOSE_GRACE_MILLIS = 4_500",
                        "wait for the close frame of a client"),
                Arguments.of(
                        chat + "session/FrameGuard.java",
                        "REJECTED_GRACE_MILLIS = 1_000",
                        "wait for the close frame after"),
                Arguments.of(
                        chat + "history/RestHistory.java",
                        "FrameRules.LONGEST_HISTORY * FrameRules.longestMessageBytes()",
                        "history response"),
                Arguments.of(
                        chat + "history/RestHistory.java",
                        "LONGEST_WAIT = Duration.ofSeconds(30)",
                        "wait for a connection to the consumer"),
                Arguments.of(chat + "history/TokenFile.java", "MAX_BYTES = 16 * 1024", "file with the server's own"),
                Arguments.of(log + "SeenIncarnations.java", "MAX_WINDOWS = 1024", "server incarnations known"),
                Arguments.of(log + "EntriesInFlight.java", "MAX = 32", "entries of a partition not read"),
                Arguments.of(log + "InMemoryRoomLog.java", "CREDIT = 16", "entries in flight"),
                Arguments.of(log + "Roster.java", "MAX_PARTS = 0xffff", "parts of a roster"),
                Arguments.of(
                        log + "rabbit/Link.java", "setRequestedHeartbeat(30)", "silence of a connection to RabbitMQ"),
                Arguments.of(protocol + "FrameDecoder.java", "MAX_OBJECTS = 1_000", "objects in a client message"),
                Arguments.of(protocol + "FrameDecoder.java", "MAX_DEPTH = 8", "nesting of client JSON"),
                Arguments.of(protocol + "ClientFrame.java", "MAX_LIMIT = 500", "members in an answer"),
                Arguments.of(
                        "service-kit/src/main/java/chat/kit/tracing/Tracing.java", "QUEUE = 2_048", "spans waiting"));
    }

    @ParameterizedTest
    @MethodSource("fixedBounds")
    void everyFixedBoundHasARow(String source, String constant, String words) throws IOException {
        assertThat(Files.readString(ROOT.resolve(source))).contains(constant);
        assertThat(Files.readAllLines(DOCUMENT))
                .anyMatch(row -> row.startsWith("| " + words) && row.contains("fixed, "));
    }
}
