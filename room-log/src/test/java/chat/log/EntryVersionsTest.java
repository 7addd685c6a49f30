package chat.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import chat.protocol.MessageType;
import chat.protocol.RoomId;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Existing logs must stay readable, and entries of other versions must do no harm. */
class EntryVersionsTest {
    private static final long EPOCH = 1_763_632_800_000_000L;
    private static final Map<EntryKind, byte[]> VERSION_1 = version1();

    private static Map<EntryKind, byte[]> version1() {
        try (InputStream lines =
                Objects.requireNonNull(EntryVersionsTest.class.getResourceAsStream("entries-version-1.txt"))) {
            return new String(lines.readAllBytes(), StandardCharsets.US_ASCII)
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .map(line -> line.split(" ", 2))
                    .collect(Collectors.toMap(
                            words -> EntryKind.valueOf(words[0]),
                            words -> HexFormat.of().parseHex(words[1])));
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    private static LogEntry read(EntryKind kind) {
        LogEntry entry = LogEntry.parse(Objects.requireNonNull(VERSION_1.get(kind)), EPOCH, 11);
        assertThat(entry.header().kind()).isEqualTo(kind);
        return entry;
    }

    /** The bytes of a heartbeat with another version or kind and an unknown body. */
    private static byte[] of(int version, int kind) {
        byte[] heartbeat = Objects.requireNonNull(VERSION_1.get(EntryKind.HEARTBEAT));
        byte[] entry = Arrays.copyOf(heartbeat, heartbeat.length + 5);
        entry[0] = (byte) version;
        entry[1] = (byte) kind;
        return entry;
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "LATER")
    void eachKindHasAnEntry(EntryKind kind) {
        assertThat(VERSION_1).containsKey(kind);
    }

    @Test
    void messagesAreDecodedAsWritten() {
        LogEntry entry = read(EntryKind.MESSAGES);
        assertThat(entry.header()).isEqualTo(new EntryHeader(EntryKind.MESSAGES, EPOCH, 0, 7, 3, "server-a"));
        assertThat(entry.segments())
                .extracting(Segment::room)
                .containsExactly(new RoomId("lobby"), new RoomId("team-7"));
        Segment lobby = entry.segments().getFirst();
        assertThat(lobby.messageId(1)).isEqualTo(UUID.fromString("0196f3c5-7a10-7000-8000-000000000002"));
        assertThat(lobby.type(0)).isEqualTo(MessageType.TEXT);
        assertThat(lobby.type(1)).isEqualTo(MessageType.JOIN);
        assertThat(lobby.timestamp(0)).isEqualTo(1_763_632_800_123L);
        assertThat(lobby.clientAddress(0)).isEqualTo(Samples.IPV4);
        assertThat(lobby.clientAddress(1)).isEqualTo(Samples.IPV6);
        assertThat(lobby.userId(1)).isEqualTo("43");
        assertThat(Samples.text(lobby, 0)).isEqualTo("one");
        Segment team = entry.segments().getLast();
        assertThat(team.firstIndex()).isEqualTo(2);
        assertThat(team.type(0)).isEqualTo(MessageType.LEAVE);
        assertThat(team.clientAddress(0)).isEmpty();
    }

    @Test
    void otherKindsAreDecodedAsWritten() {
        assertThat(read(EntryKind.HELLO).header())
                .isEqualTo(new EntryHeader(EntryKind.HELLO, EPOCH, EPOCH - 1, -5, 1, "server-b"));
        assertThat(read(EntryKind.HEARTBEAT).header().sequence()).isEqualTo(4);
        assertThat(read(EntryKind.STORED).stored()).isEqualTo(new StoredThrough(3_676_616_521_576_450_049L));
        assertThat(read(EntryKind.ROSTER).roster())
                .isEqualTo(new Roster(
                        7,
                        3,
                        true,
                        0,
                        1,
                        List.of(new Roster.Room(
                                new RoomId("lobby"),
                                List.of(new Roster.Attendee("42", "anna", 1), new Roster.Attendee("43", "bert", 2))))));
    }

    @Test
    void encodingIsUnchanged() {
        LogEntry stored = read(EntryKind.STORED);
        assertThat(new StoredThrough(3_676_616_521_576_450_049L).encode(stored.header()))
                .isEqualTo(VERSION_1.get(EntryKind.STORED));
        LogEntry roster = read(EntryKind.ROSTER);
        assertThat(Objects.requireNonNull(roster.roster()).encode(roster.header()))
                .isEqualTo(VERSION_1.get(EntryKind.ROSTER));
        for (EntryKind kind : List.of(EntryKind.HELLO, EntryKind.HEARTBEAT))
            assertThat(EntryBuilder.encodeEmpty(read(kind).header())).isEqualTo(VERSION_1.get(kind));
        LogEntry messages = read(EntryKind.MESSAGES);
        EntryBuilder<String> builder = new EntryBuilder<>(1 << 16, 100);
        for (Segment segment : messages.segments())
            for (int i = 0; i < segment.size(); i++)
                builder.add(
                        new OutgoingMessage(
                                segment.room(),
                                segment.messageId(i),
                                segment.type(i),
                                segment.userId(i),
                                segment.timestamp(i),
                                segment.clientAddress(i),
                                segment.json(i)),
                        "");
        assertThat(builder.encode(messages.header())).isEqualTo(VERSION_1.get(EntryKind.MESSAGES));
    }

    @Test
    void kindOf128OrMoreIsSkipped() {
        for (int code : new int[] {128, 147, 255}) {
            LogEntry entry = LogEntry.parse(of(1, code), EPOCH, 11);
            assertThat(entry.header().kind()).isEqualTo(EntryKind.LATER);
            assertThat(entry.messages()).isZero();
        }
    }

    @Test
    void lowerKindAndOtherVersionAreMalformed() {
        assertThatThrownBy(() -> LogEntry.parse(of(1, 6), EPOCH, 11)).isInstanceOf(MalformedEntry.class);
        assertThatThrownBy(() -> LogEntry.parse(of(1, 0), EPOCH, 11)).isInstanceOf(MalformedEntry.class);
        assertThatThrownBy(() -> LogEntry.parse(of(2, 128), EPOCH, 11))
                .isInstanceOf(MalformedEntry.class)
                .hasMessageContaining("version 2");
    }

    @Test
    void unknownKindIsNeverWritten() {
        EntryHeader later = LogEntry.parse(of(1, 200), EPOCH, 11).header();
        assertThatThrownBy(() -> EntryBuilder.encodeEmpty(later)).isInstanceOf(IllegalArgumentException.class);
    }

    /** The later server is one of this version that adds an entry of a new kind to each of its own. */
    @Test
    void serversOfTwoVersionsReadEachOthersMessages() throws Exception {
        Clock clock = Clock.systemUTC();
        try (InMemoryRoomLog log = new InMemoryRoomLog(1, 16 << 20, clock);
                TestServer earlier = new TestServer("earlier", log, 0, LogSettings.DEFAULT, clock);
                TestServer later = new TestServer("later", new Talkative(log), 0, LogSettings.DEFAULT, clock)) {
            earlier.started.get(10, TimeUnit.SECONDS);
            later.started.get(10, TimeUnit.SECONDS);
            for (int i = 0; i < 50; i++) {
                TestServer.Sent one = later.send();
                TestServer.Sent other = earlier.send();
                assertThat(one.outcome.get(10, TimeUnit.SECONDS)).isEqualTo(TestServer.Outcome.ACCEPTED);
                assertThat(other.outcome.get(10, TimeUnit.SECONDS)).isEqualTo(TestServer.Outcome.ACCEPTED);
            }
            assertThat(earlier.counters.later.sum()).isGreaterThanOrEqualTo(50);
            assertThat(earlier.counters.malformed.sum()).isZero();
            assertThat(earlier.counters.gaps.sum()).isZero();
        }
    }

    private static final class Talkative extends ForwardingRoomLog {
        private long sequence;

        Talkative(RoomLog log) {
            super(log);
        }

        @Override
        public synchronized CompletionStage<Void> append(int partition, byte[] entry) {
            EntryHeader header = LogEntry.header(entry);
            byte[] unknown = EntryBuilder.encodeEmpty(new EntryHeader(
                    EntryKind.HEARTBEAT, header.epoch(), 0, ~header.incarnation(), ++sequence, header.serverId()));
            unknown = Arrays.copyOf(unknown, unknown.length + 3);
            unknown[1] = (byte) 200;
            CompletionStage<Void> written = super.append(partition, entry);
            super.append(partition, unknown);
            return written;
        }
    }
}
