package chat.server.room;

import static org.assertj.core.api.Assertions.assertThat;

import chat.log.EntryHeader;
import chat.log.EntryKind;
import chat.log.InMemoryRoomLog;
import chat.log.LogCounters;
import chat.log.LogSettings;
import chat.log.Position;
import chat.log.StoredThrough;
import chat.protocol.ClientFrame.Since;
import chat.protocol.RoomId;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** What members hear of where the log has lost its end before their server began, and the consumer says so. */
class LostEndTest {
    private static final RoomId ROOM = new RoomId("room");

    private final Clock clock = Clock.systemUTC();
    private final InMemoryRoomLog log = new InMemoryRoomLog(1, 16 << 20, clock);
    private final FakeHistory history = new FakeHistory();
    private final Rooms rooms = new Rooms(
            log,
            new TestRoomSettings().settings(),
            LogSettings.DEFAULT,
            clock,
            history,
            new LogCounters(),
            new RoomCounters());

    @AfterEach
    void close() {
        rooms.close();
        log.close();
    }

    private FakeMember member(int user, Since since, boolean wantsStored) {
        return new FakeMember(rooms, clock, ROOM, user, since, wantsStored).joined();
    }

    /** As the consumer says it who has read what is lost: so many entries more than there are. */
    private long storedBeyond(FakeMember last, int entries) throws Exception {
        long there = last.lastPosition();
        long beyond = there + (long) entries * Position.MESSAGES_PER_ENTRY;
        byte[] entry = new StoredThrough(beyond)
                .encode(new EntryHeader(
                        EntryKind.STORED, there / Position.MESSAGES_PER_ENTRY, 0, 4711, 1, "persistence-consumer"));
        log.append(0, entry).toCompletableFuture().get(5, TimeUnit.SECONDS);
        return beyond;
    }

    private static long number(JsonNode frame, String field) {
        return Long.parseLong(frame.get(field).asString());
    }

    @Test
    void membersAreToldAGapUpToWhatIsSaidAboveIt() throws Exception {
        FakeMember anna = member(1, new Since.Now(), true);
        anna.said("before");
        long before = anna.lastPosition();

        long beyond = storedBeyond(anna, 1000);

        anna.await("gap", () -> anna.types().contains("GAP"));
        anna.said("after");
        JsonNode gap = anna.frames("GAP").getFirst();
        assertThat(number(gap, "from")).isGreaterThanOrEqualTo(before).isLessThan(beyond);
        assertThat(number(gap, "to")).isGreaterThan(beyond).isLessThan(anna.lastPosition());
        assertThat(anna.frames("GAP")).hasSize(1);
        assertThat(anna.types()).as("before it was read again, nobody knows").doesNotContain("STORED");
        assertThat(anna.heard()).endsWith("before", "after");
    }

    /** Rows of what is lost stand between, and perhaps some of what was said there later. */
    @Test
    void whoResumesFromThereIsToldAGapAndWhatFollows() throws Exception {
        FakeMember anna = member(1, new Since.Now(), false);
        anna.said("one");
        anna.said("two");
        List<Recent> said = anna.recent();
        long beyond = storedBeyond(anna, 1000);
        anna.await("gap", () -> anna.types().contains("GAP"));
        anna.said("after");
        long from = number(anna.frames("GAP").getFirst(), "from");
        history.store(said);
        byte[] lost = said.getLast().json();
        history.store(List.of(new Recent(from + 5, lost), new Recent(beyond, lost)));

        FakeMember below = member(2, new Since.Resume(said.get(said.size() - 2).position()), false);
        below.awaitHeard("JOIN 2");
        assertThat(below.heard()).containsExactly("two", "after", "JOIN 2");
        assertThat(below.types()).containsSubsequence("WELCOME", "MESSAGES", "GAP", "MESSAGES");

        FakeMember within = member(3, new Since.Resume(from + 7), false);
        within.awaitHeard("JOIN 3");
        assertThat(within.heard()).containsExactly("after", "JOIN 2", "JOIN 3");
        assertThat(number(within.frames("GAP").getFirst(), "from")).isEqualTo(from + 7);
    }
}
