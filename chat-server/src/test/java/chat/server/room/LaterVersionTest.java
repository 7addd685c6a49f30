package chat.server.room;

import static org.assertj.core.api.Assertions.assertThat;

import chat.log.EntryBuilder;
import chat.log.EntryHeader;
import chat.log.EntryKind;
import chat.log.InMemoryRoomLog;
import chat.log.LogCounters;
import chat.log.LogEntry;
import chat.log.LogSettings;
import chat.log.LogUnavailable;
import chat.log.RoomLog;
import chat.protocol.ClientFrame.Since;
import chat.protocol.RoomId;
import java.time.Clock;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Delivery while servers of a later version write to the same log. */
class LaterVersionTest {
    private static final RoomId ROOM = new RoomId("room");

    private final Clock clock = Clock.systemUTC();
    private final InMemoryRoomLog log = new InMemoryRoomLog(1, 16 << 20, clock);
    private final LogCounters counters = new LogCounters();
    private final Rooms rooms = TestRooms.of(
            log,
            new TestRoomSettings().settings(),
            LogSettings.DEFAULT,
            clock,
            new NoHistory(),
            counters,
            new RoomCounters());
    private final FakeMember anna = new FakeMember(rooms, clock, ROOM, 1, new Since.Now()).joined();

    @AfterEach
    void close() {
        rooms.close();
        log.close();
    }

    /** Of this log: its first entry says it. */
    private long epoch() throws Exception {
        CompletableFuture<byte[]> first = new CompletableFuture<>();
        RoomLog.Tail tail = log.tail(0, new RoomLog.Start.First(), new RoomLog.TailHandler() {
            @Override
            public void entry(long offset, byte[] bytes) {
                first.complete(bytes);
            }

            @Override
            public void ended(LogUnavailable cause) {
                first.completeExceptionally(cause);
            }
        });
        try {
            return LogEntry.parse(first.get(5, TimeUnit.SECONDS), 1, 0).header().epoch();
        } finally {
            tail.close();
        }
    }

    private void written(int version, int kind) throws Exception {
        byte[] entry = EntryBuilder.encodeEmpty(new EntryHeader(EntryKind.HEARTBEAT, epoch(), 0, 4711, 1, "later"));
        entry = Arrays.copyOf(entry, entry.length + 7);
        entry[0] = (byte) version;
        entry[1] = (byte) kind;
        log.append(0, entry).toCompletableFuture().get(5, TimeUnit.SECONDS);
    }

    @Test
    void optionalEntryKindIsSkipped() throws Exception {
        written(1, 200);
        anna.said("after");
        assertThat(anna.types()).doesNotContain("GAP");
        assertThat(anna.heard()).endsWith("after");
        assertThat(counters.malformed.sum()).isZero();
        assertThat(counters.later.sum()).isEqualTo(1);
    }

    @Test
    void unknownRequiredEntryKindIsAGap() throws Exception {
        written(2, 1);
        anna.said("after");
        assertThat(anna.types()).contains("GAP");
        assertThat(anna.heard()).endsWith("after");
        assertThat(counters.malformed.sum()).isEqualTo(1);
    }
}
