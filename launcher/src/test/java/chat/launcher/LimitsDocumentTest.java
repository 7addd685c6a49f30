package chat.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Checks that limits.md or protocol.md in docs/reference holds every bound that is a constant of the source. */
class LimitsDocumentTest {
    private static final Path ROOT = TestPlaces.root();
    private static final Path DOCUMENT = ROOT.resolve("docs/reference/limits.md");
    private static final Path PROTOCOL = ROOT.resolve("docs/reference/protocol.md");

    /** Each bound in the source with the first words of its row. */
    static Stream<Arguments> fixedBounds() {
        String chat = "chat-server/src/main/java/chat/server/";
        String log = "room-log/src/main/java/chat/log/";
        String kit = "service-kit/src/main/java/chat/kit/";
        String consumer = "persistence-consumer/src/main/java/chat/persistence/";
        return Stream.of(
                Arguments.of(
                        kit + "management/http/HttpSettings.java",
                        "WRITE_DEADLINE = Duration.ofSeconds(15)",
                        "HTTP response of which"),
                Arguments.of(kit + "identity/token/Tokens.java", "MAX_BYTES = 6144", "token |"),
                Arguments.of(kit + "tracing/Tracing.java", "MAX_PER_SECOND = 100", "traced messages"),
                Arguments.of(
                        chat + "session/SessionSettings.java",
                        "HANDOVER = DataSize.ofMegabytes(4)",
                        "frames between partitions"),
                Arguments.of(chat + "admission/OverloadSettings.java", "THREADS = 2000", "threads of a chat server"),
                Arguments.of(chat + "SocketBuffers.java", "KERNEL_UNSENT = 128 * 1024", "unsent bytes"),
                Arguments.of(chat + "admission/RateSettings.java", "MAX_KEYS = 100_000", "users and addresses"),
                Arguments.of(chat + "admission/RateSettings.java", "MAX_WAITING = 100_000", "messages that wait"),
                Arguments.of(chat + "admission/TokenQueueSettings.java", "PENDING = 2000", "messages that wait"),
                Arguments.of(
                        chat + "admission/TokenQueueSettings.java",
                        "LONGEST_WAIT = Duration.ofSeconds(10)",
                        "messages that wait"),
                Arguments.of(chat + "room/CatchUpSettings.java", "READS = 8", "concurrent pages of one user"),
                Arguments.of(chat + "room/CatchUpSettings.java", "MEMORY = 64 << 20", "pages of history in memory"),
                Arguments.of(
                        chat + "ChatServerConfiguration.java",
                        "HISTORY_TIMEOUT = Duration.ofSeconds(2)",
                        "response of the consumer"),
                Arguments.of(chat + "room/RoomSettings.java", "BACKLOG_READERS = 4", "concurrent temporary readers"),
                Arguments.of(chat + "room/RoomSettings.java", "RECENT_MESSAGES = 2048", "messages of a room in memory"),
                Arguments.of(chat + "room/RoomSettings.java", "EMPTY_ROOMS = 10_000", "rooms without local members"),
                Arguments.of(log + "LogSettings.java", "MAX_ENTRY_BYTES = 512 * 1024", "entry |"),
                Arguments.of(log + "LogSettings.java", "OVERDUE = Duration.ofSeconds(30)", "entry that is not read"),
                Arguments.of(log + "LogSettings.java", "MEMORY = Duration.ofMinutes(2)", "recent past"),
                Arguments.of(
                        log + "breaker/BreakerSettings.java",
                        "new BreakerSettings(5, Duration.ofSeconds(2), 5,",
                        "failures of the log"),
                Arguments.of(chat + "presence/PresenceSettings.java", "MAX_LATE_LEAVES = 100_000", "LEAVEs kept"),
                Arguments.of(
                        consumer + "store/PostgresProperties.java",
                        "CONNECT_TIMEOUT = Duration.ofSeconds(3)",
                        "connection to PostgreSQL"),
                Arguments.of(
                        consumer + "store/PostgresProperties.java",
                        "SOCKET_TIMEOUT = Duration.ofSeconds(10)",
                        "silence of PostgreSQL"),
                Arguments.of(
                        consumer + "store/PostgresProperties.java",
                        "new Aggregating(Duration.ofMinutes(5))",
                        "update of the roll-ups"),
                Arguments.of(
                        consumer + "ingest/IngestSettings.java",
                        "STOP_LIMIT = Duration.ofSeconds(10)",
                        "stop of the consumer"),
                Arguments.of(chat + "room/BacklogPages.java", "MAX_IDS = 2_048", "message ids known to a member"),
                Arguments.of(chat + "room/CatchUpScheduler.java", "USER_SHARE = 4", "concurrent pages of one user"),
                Arguments.of(chat + "room/CatchUpScheduler.java", "BURST_SECONDS = 8", "history of one user"),
                Arguments.of(chat + "admission/JoinRates.java", "SOCKETS = 20", "immediate JOINs of one user"),
                Arguments.of(chat + "room/Membership.java", "MAX_DEFERRED_ACKS = 10_000", "ACKs held for a member"),
                Arguments.of(chat + "room/DuplicateResponder.java", "MAX_WAITING = 1024", "waiting answers to resent"),
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
                Arguments.of(
                        log + "rabbit/Link.java", "setRequestedHeartbeat(30)", "silence of a connection to RabbitMQ"),
                Arguments.of(
                        "service-kit/src/main/java/chat/kit/tracing/Tracing.java", "QUEUE = 2_048", "spans waiting"));
    }

    /** Each bound in the source that the protocol states, with its words. */
    static Stream<Arguments> boundsOfTheProtocol() {
        String chat = "chat-server/src/main/java/chat/server/";
        String protocol = "chat-protocol/src/main/java/chat/protocol/";
        return Stream.of(
                Arguments.of(protocol + "FrameRules.java", "65_536, contract", "65,536 bytes"),
                Arguments.of(
                        protocol + "FrameRules.java",
                        "LONGEST_HISTORY = 500",
                        "optional: 0 to 500 (`limits.maxHistory`)"),
                Arguments.of(
                        chat + "session/WireSettings.java",
                        "WireSettings(1000, 100)",
                        "more than 1,000 fragments in a message"),
                Arguments.of(
                        chat + "session/WireSettings.java",
                        "WireSettings(1000, 100)",
                        "more than 100 pings and pongs per second"),
                Arguments.of(chat + "intake/IntakeSettings.java", "MAX_FAULTS = 100", "At 100 faults"),
                Arguments.of(
                        chat + "admission/HandshakeSettings.java",
                        "PATIENCE = Duration.ofSeconds(5)",
                        "for at most 5 s"),
                Arguments.of(
                        chat + "session/SessionSettings.java",
                        "WITHOUT_ROOM = Duration.ofMinutes(1)",
                        "60 s without a room"),
                Arguments.of(chat + "session/SessionSettings.java", "PING_GRACE = Duration.ofSeconds(10)", "plus 10 s"),
                Arguments.of(
                        chat + "session/SessionSettings.java",
                        "WRITE_DEADLINE = Duration.ofSeconds(15)",
                        "accepted nothing for 15 s"),
                Arguments.of(
                        chat + "admission/RateSettings.java", "MAX_REFUSED = 1000", "1,000 more objects were rejected"),
                Arguments.of(
                        chat + "room/RoomSettings.java",
                        "HISTORY_PATIENCE = Duration.ofSeconds(5)",
                        "none has answered within 5 s"),
                Arguments.of(chat + "presence/PresenceSettings.java", "NAMED = 20", "at most 20 names"),
                Arguments.of(chat + "room/Room.java", "MAX_IDS_IN_ACK = 1_000", "1 to 1,000 of the client's"),
                Arguments.of(chat + "room/Frames.java", "MAX_BYTES = 128 * 1024", "at most 128 KiB"),
                Arguments.of(protocol + "FrameDecoder.java", "MAX_OBJECTS = 1_000", "| objects in an array | 1,000 |"),
                Arguments.of(protocol + "FrameDecoder.java", "MAX_DEPTH = 8", "| nesting depth of JSON | 8 |"),
                Arguments.of(protocol + "ClientFrame.java", "MAX_LIMIT = 500", "page size, 1 to 500"));
    }

    @ParameterizedTest
    @MethodSource("fixedBounds")
    void everyFixedBoundHasARow(String source, String constant, String words) throws IOException {
        assertThat(Files.readString(ROOT.resolve(source))).contains(constant);
        assertThat(Files.readAllLines(DOCUMENT)).anyMatch(row -> row.startsWith("| " + words));
    }

    @ParameterizedTest
    @MethodSource("boundsOfTheProtocol")
    void protocolStatesItsBounds(String source, String constant, String words) throws IOException {
        assertThat(Files.readString(ROOT.resolve(source))).contains(constant);
        assertThat(Files.readString(PROTOCOL)).contains(words);
    }
}
