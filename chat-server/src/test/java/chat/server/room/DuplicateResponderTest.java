package chat.server.room;

import static org.assertj.core.api.Assertions.assertThat;

import chat.log.InMemoryRoomLog;
import chat.log.LogCounters;
import chat.log.LogSettings;
import chat.protocol.ClientFrame.Since;
import chat.protocol.DerivedId;
import chat.protocol.MessageType;
import chat.protocol.RoomId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Ids that are used twice, on two servers over one log in memory. */
class DuplicateResponderTest {
    private static final RoomId ROOM = new RoomId("room");
    private static final RoomId OTHER_ROOM = new RoomId("other");

    private final SteppedClock clock = new SteppedClock();
    private final InMemoryRoomLog memory = new InMemoryRoomLog(1, 16 << 20, clock);
    private final BreakableLog log = new BreakableLog(memory);
    private final FakeHistory history = new FakeHistory();
    private final RoomCounters counters = new RoomCounters();
    private final LogCounters logCounters = new LogCounters();
    private final Rooms here = server("here");
    private final Rooms there = server("there");

    private Rooms server(String id) {
        RoomSettings settings = new TestRoomSettings()
                .serverId(id)
                .history(100, Duration.ofSeconds(5))
                .backlogReaders(1)
                .settings();
        return TestRooms.of(log, settings, LogSettings.DEFAULT, clock, history, logCounters, counters);
    }

    @AfterEach
    void close() {
        here.close();
        there.close();
        memory.close();
    }

    private FakeMember member(Rooms server, RoomId room, int user) {
        return new FakeMember(server, clock, room, user, new Since.Now()).joined();
    }

    private static void awaitAcks(FakeMember member, int count) {
        member.await(count + " ACKs", () -> member.acks().size() == count);
    }

    private static void awaitRefusals(FakeMember member, String... refusals) {
        member.await("refusals", () -> member.refusals().size() >= refusals.length);
        assertThat(member.refusals()).containsExactly(refusals);
    }

    /** The position of each ACK frame, all for one id. */
    private static List<Long> ackPositions(FakeMember member, UUID id) {
        List<Long> positions = new ArrayList<>();
        for (JsonNode ack : member.frames("ACK")) {
            assertThat(ack.get("messageIds").toString()).isEqualTo("[\"" + id + "\"]");
            positions.add(FakeMember.position(ack));
        }
        return positions;
    }

    @Test
    void onOneSocketItIsAcknowledgedWithItsFirstPositionAndNotPublished() {
        FakeMember anna = member(here, ROOM, 1);
        FakeMember bert = member(there, ROOM, 2);
        UUID id = anna.text("once");
        awaitAcks(anna, 1);
        bert.awaitHeard("once");
        long accepted = logCounters.accepted.sum();
        anna.text("once", id);
        anna.text("once", id);
        awaitAcks(anna, 3);
        assertThat(ackPositions(anna, id)).containsOnly(anna.lastPosition());
        assertThat(logCounters.accepted.sum()).isEqualTo(accepted);
        assertThat(counters.acknowledgedAgain.sum()).isEqualTo(2);
        bert.said("after");
        assertThat(bert.heard()).containsOnlyOnce("once");
        assertThat(counters.repeated.sum()).isZero();
    }

    @Test
    void throughAnotherServerToo() {
        FakeMember anna = member(here, ROOM, 1);
        UUID id = anna.text("once");
        awaitAcks(anna, 1);
        FakeMember again = member(there, ROOM, 1);
        again.text("once", id);
        awaitAcks(again, 1);
        assertThat(ackPositions(again, id)).isEqualTo(ackPositions(anna, id));
        assertThat(counters.acknowledgedAgain.sum()).isEqualTo(1);
    }

    @Test
    void beforeTheFirstWasReadBackItIsPublishedAndDroppedByEveryReader() {
        FakeMember anna = member(here, ROOM, 1);
        FakeMember bert = member(there, ROOM, 2);
        UUID id = UUID.randomUUID();
        here.whenRoom(
                ROOM,
                () -> { // into one entry
                    anna.text("once", id);
                    anna.text("once", id);
                });
        awaitAcks(anna, 2);
        assertThat(ackPositions(anna, id)).containsOnly(anna.lastPosition());
        bert.said("after");
        assertThat(bert.heard()).containsOnlyOnce("once");
        bert.await("both servers", () -> counters.repeated.sum() == 2);
        assertThat(counters.acknowledgedAgain.sum()).isZero();
    }

    @Test
    void concurrentResendsAreDeliveredOnceWithOnePosition() throws Exception {
        FakeMember witness = member(here, ROOM, 9);
        List<FakeMember> same = new ArrayList<>();
        for (int i = 0; i < 4; i++) same.add(member(i % 2 == 0 ? here : there, ROOM, 1));
        List<UUID> ids = new ArrayList<>();
        for (int i = 0; i < 200; i++) ids.add(UUID.randomUUID());
        try (ExecutorService threads = Executors.newFixedThreadPool(same.size())) {
            for (FakeMember socket : same)
                threads.execute(() -> {
                    for (UUID id : ids) socket.text("text " + id, id);
                });
        }
        for (FakeMember socket : same) awaitAcks(socket, ids.size());
        List<String> wanted = ids.stream().map(id -> "text " + id).toList();
        witness.await("all", () -> witness.heard().containsAll(wanted));
        witness.said("last");
        assertThat(witness.heard().stream().filter(text -> text.startsWith("text ")))
                .containsExactlyInAnyOrderElementsOf(wanted);
        assertThat(counters.conflicts.sum()).isZero();
        // Both servers drop what was published more than once; the rest was not published.
        witness.await(
                "counts", () -> counters.repeated.sum() / 2.0 + counters.acknowledgedAgain.sum() == 3.0 * ids.size());
    }

    @Test
    void itIsAcknowledgedThoughTheLogIsAway() {
        FakeMember anna = member(here, ROOM, 1);
        UUID id = anna.text("once");
        awaitAcks(anna, 1);
        log.down();
        anna.text("once", id);
        awaitAcks(anna, 2);
    }

    @Test
    void resendDuringCatchUpIsAcknowledgedAfterDelivery() {
        FakeMember anna = member(here, ROOM, 1);
        UUID id = anna.text("once");
        awaitAcks(anna, 1);
        for (int i = 0; i < 20; i++) anna.said("t" + i);
        long beginning = anna.recent().getFirst().position();
        FakeMember again = new FakeMember(there, clock, ROOM, 1, new Since.Resume(beginning));
        again.keepsUp(false);
        again.join();
        again.text("once", id);
        again.await("WELCOME", () -> !again.frames("WELCOME").isEmpty());
        anna.said("seen there");
        assertThat(again.types()).containsExactly("WELCOME");
        history.store(anna.recent());
        again.keepsUp(true);
        awaitAcks(again, 1);
        assertThat(again.heard()).startsWith("once", "t0").endsWith("seen there");
        again.await("MEMBERS", () -> !again.frames("MEMBERS").isEmpty());
        assertThat(again.types()).endsWith("MESSAGES", "ACK", "MEMBERS");
    }

    @Test
    void resendAfterARejectedJoinIsAcknowledged() {
        FakeMember anna = member(here, ROOM, 1);
        UUID id = anna.text("once");
        awaitAcks(anna, 1);
        log.refuse();
        FakeMember again = new FakeMember(here, clock, ROOM, 1, new Since.Now()).join();
        again.text("once", id);
        awaitAcks(again, 1);
        awaitRefusals(again, "JOIN");
    }

    @Test
    void otherTextIsAConflictAndNotDelivered() {
        FakeMember anna = member(here, ROOM, 1);
        FakeMember bert = member(there, ROOM, 2);
        UUID id = anna.text("mine");
        awaitAcks(anna, 1);
        anna.text("other", id);
        awaitRefusals(anna, "CONFLICT TEXT " + id);
        anna.text("mine", id);
        awaitAcks(anna, 2);
        bert.said("after");
        assertThat(bert.heard()).contains("mine").doesNotContain("other");
        assertThat(counters.conflicts.sum()).isEqualTo(1);
    }

    @Test
    void anotherUsersIdMeansNothing() {
        FakeMember anna = member(here, ROOM, 1);
        FakeMember bert = member(there, ROOM, 2);
        UUID id = anna.text("hi");
        bert.awaitHeard("hi");
        bert.text("hi", id);
        awaitAcks(bert, 1);
        bert.text("ho", id);
        awaitRefusals(bert, "CONFLICT TEXT " + id);
        anna.text("hi", id);
        awaitAcks(anna, 2);
        assertThat(ackPositions(anna, id)).hasSize(2).doesNotContainAnyElementsOf(ackPositions(bert, id));
        anna.said("after");
        assertThat(anna.heard().stream().filter("hi"::equals)).hasSize(2);
    }

    @Test
    void idInAnotherRoomIsIndependent() {
        FakeMember anna = member(here, ROOM, 1);
        FakeMember elsewhere = member(here, OTHER_ROOM, 1);
        UUID id = anna.text("hi");
        awaitAcks(anna, 1);
        elsewhere.text("ho", id);
        awaitAcks(elsewhere, 1);
        elsewhere.awaitHeard("ho");
    }

    private static List<String> ids(FakeMember member, String text) {
        List<String> ids = new ArrayList<>();
        for (JsonNode frame : member.frames("MESSAGES"))
            for (JsonNode message : frame.get("messages"))
                if (text.equals(message.path("message").asString("")))
                    ids.add(message.get("messageId").stringValue());
        return ids;
    }

    @Test
    void ofTwoTextsThatArePublishedUnderOneIdTheSecondHasADerivedIdAndBothAreAcknowledged() {
        FakeMember anna = member(here, ROOM, 1);
        FakeMember bert = member(there, ROOM, 2);
        UUID id = UUID.randomUUID();
        here.whenRoom(
                ROOM,
                () -> { // into one entry
                    anna.text("first", id);
                    anna.text("second", id);
                    anna.text("first", id);
                    anna.text("second", id);
                });
        awaitAcks(anna, 4);
        bert.said("after");
        String derived =
                DerivedId.of(id, ROOM, "1", MessageType.TEXT, "second", 0).toString();
        for (FakeMember member : List.of(anna, bert)) {
            member.awaitHeard("after");
            assertThat(ids(member, "first")).containsExactly(id.toString());
            assertThat(ids(member, "second")).containsExactly(derived);
        }
        bert.await("both servers", () -> counters.renamed.sum() == 2 && counters.repeated.sum() == 4);
        // Its ACK may have been lost.
        anna.text("second", id);
        awaitAcks(anna, 5);
        assertThat(counters.acknowledgedAgain.sum()).isEqualTo(1);
        anna.text("third", id);
        awaitRefusals(anna, "CONFLICT TEXT " + id);
        // A member that resumes gets the same ids.
        FakeMember resumed = new FakeMember(here, clock, ROOM, 3, new Since.Resume(0));
        resumed.join();
        resumed.awaitHeard("after");
        assertThat(ids(resumed, "second")).containsExactly(derived);
    }

    @Test
    void leaveUnderAUsedIdIsAConflictAndTheMemberStays() {
        FakeMember anna = member(here, ROOM, 1);
        FakeMember bert = member(there, ROOM, 2);
        UUID id = anna.text("hi");
        awaitAcks(anna, 1);
        anna.leave(id);
        awaitRefusals(anna, "CONFLICT LEAVE " + id);
        bert.said("still there?");
        anna.awaitHeard("still there?");
        assertThat(anna.acks()).hasSize(1);
        UUID left = anna.leave();
        awaitAcks(anna, 2);
        FakeMember again = member(here, ROOM, 1);
        again.leave(left);
        awaitRefusals(again, "CONFLICT LEAVE " + left);
    }

    @Test
    void joinUnderAUsedIdIsAConflictAndDoesNotJoin() {
        FakeMember anna = member(here, ROOM, 1);
        UUID id = anna.text("hi");
        awaitAcks(anna, 1);
        FakeMember late = new FakeMember(here, clock, ROOM, 1, new Since.Now());
        late.join(id);
        awaitRefusals(late, "CONFLICT JOIN " + id);
        anna.said("alone");
        assertThat(late.membership().isRefused()).isTrue();
        assertThat(late.membership().isOver()).isTrue();
        assertThat(late.frames()).isEmpty();
    }

    @Test
    void joinsAndLeavesThatArePublishedUnderAUsedIdCountUnderDerivedIds() {
        FakeMember anna = member(here, ROOM, 1);
        FakeMember racing = new FakeMember(here, clock, ROOM, 1, new Since.Now());
        UUID id = UUID.randomUUID();
        here.whenRoom(
                ROOM,
                () -> { // into one entry
                    anna.text("ho", id);
                    racing.join(id);
                    anna.leave(id);
                });
        awaitAcks(anna, 2);
        racing.await("WELCOME", () -> !racing.frames("WELCOME").isEmpty());
        assertThat(anna.refusals()).isEmpty();
        assertThat(racing.refusals()).isEmpty();
        assertThat(anna.membership().isOver()).isTrue();
        assertThat(counters.renamed.sum()).isBetween(2L, 4L);
    }

    @Test
    void moreThanMayWaitGoThroughTheLogAndAreAnsweredAllTheSame() {
        FakeMember anna = member(here, ROOM, 1);
        UUID id = anna.text("once");
        awaitAcks(anna, 1);
        int many = 3000;
        here.whenRoom(
                ROOM,
                () -> { // keeps the partition's thread, so that answers pile up
                    for (int i = 0; i < many; i++) anna.text("once", id);
                });
        awaitAcks(anna, 1 + many);
        assertThat(ackPositions(anna, id)).containsOnly(anna.lastPosition());
        assertThat(counters.acknowledgedAgain.sum()).isEqualTo(1024);
    }
}
