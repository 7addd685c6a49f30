package chat.server.room;

import static org.assertj.core.api.Assertions.assertThat;

import chat.log.InMemoryRoomLog;
import chat.log.LogCounters;
import chat.log.LogSettings;
import chat.log.NotStored;
import chat.protocol.ClientFrame.Since;
import chat.protocol.RoomId;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Members who want to know what is stored, told by a consumer that stores nothing. */
class StoredNotificationsTest {
    private static final RoomId ROOM = new RoomId("room");
    private static final RoomId OTHER_ROOM = new RoomId("other");

    private final Clock clock = Clock.systemUTC();
    private final InMemoryRoomLog log = new InMemoryRoomLog(1, 16 << 20, clock);
    private final FakeHistory history = new FakeHistory();
    private final RoomCounters counters = new RoomCounters();
    private final List<Rooms> servers = new ArrayList<>();
    private final FakeConsumer consumer = new FakeConsumer(log, 0);

    private Rooms server(Duration storedInterval) {
        RoomSettings settings = new TestRoomSettings()
                .recentMessages(4)
                .storedInterval(storedInterval)
                .history(100, Duration.ofSeconds(60))
                .backlogReaders(1)
                .settings();
        Rooms server = TestRooms.of(log, settings, LogSettings.DEFAULT, clock, history, new LogCounters(), counters);
        servers.add(server);
        return server;
    }

    private final Rooms here = server(Duration.ofMillis(10));

    @AfterEach
    void close() {
        servers.forEach(Rooms::close);
        consumer.close();
        log.close();
    }

    private FakeMember asking(Rooms server, RoomId room, int user, Since since) {
        return new FakeMember(server, clock, room, user, since, true);
    }

    private FakeMember asking(RoomId room, int user) {
        return asking(here, room, user, new Since.Now()).joined();
    }

    private FakeMember notAsking(RoomId room, int user) {
        return new FakeMember(here, clock, room, user, new Since.Now()).joined();
    }

    private static void awaitStored(FakeMember member, long position) {
        member.await("STORED " + position, () -> storedPositions(member).contains(position));
    }

    private static List<Long> storedPositions(FakeMember member) {
        return member.frames("STORED").stream().map(FakeMember::position).toList();
    }

    @Test
    void onlyMembersThatAskedReceiveStored() {
        FakeMember anna = asking(ROOM, 1);
        FakeMember bert = notAsking(ROOM, 2);
        anna.said("one");
        bert.awaitHeard("one");
        long one = anna.lastPosition();
        consumer.stored(one);
        awaitStored(anna, one);
        JsonNode frame = anna.frames().getLast();
        assertThat(frame.get("type").asString()).isEqualTo("STORED");
        assertThat(frame.get("roomId").asString()).isEqualTo("room");
        assertThat(frame.get("position").isString()).isTrue();
        anna.said("two");
        anna.said("three");
        consumer.stored(anna.lastPosition());
        awaitStored(anna, anna.lastPosition());
        assertThat(storedPositions(anna)).containsExactly(one, anna.lastPosition());
        assertThat(bert.frames("STORED")).isEmpty();
        assertThat(counters.storedTold.sum()).isEqualTo(2);
        assertThat(counters.storedRead.sum()).isEqualTo(2);
    }

    private static List<String> notStored(FakeMember member) {
        List<String> ids = new ArrayList<>();
        for (JsonNode frame : member.frames("STORED"))
            for (JsonNode id : frame.path("notStored")) ids.add(id.stringValue());
        return ids;
    }

    @Test
    void onlyTheSenderLearnsOfItsDeadLetter() {
        FakeMember anna = asking(ROOM, 1);
        FakeMember bert = asking(ROOM, 2);
        UUID lost = anna.text("lost");
        anna.await("ACK", () -> anna.acks().contains(lost.toString()));
        bert.awaitHeard("lost");
        long position = anna.lastPosition();
        NotStored loss = new NotStored(position, lost, ROOM, "1");
        consumer.stored(position, loss);
        awaitStored(anna, position);
        awaitStored(bert, position);
        assertThat(anna.frames("STORED").getLast().get("notStored").toString()).isEqualTo("[\"" + lost + "\"]");
        assertThat(notStored(bert)).isEmpty();
        assertThat(bert.frames("STORED").getLast().has("notStored")).isFalse();
        anna.said("kept");
        consumer.stored(anna.lastPosition(), loss); // named again, as the consumer cannot know that it was read
        awaitStored(anna, anna.lastPosition());
        assertThat(notStored(anna)).containsExactly(lost.toString());
        assertThat(counters.notStoredTold.sum()).isEqualTo(1);
    }

    @Test
    void returningMemberReceivesItsDeadLetters() {
        FakeMember anna = asking(ROOM, 1);
        UUID lost = anna.text("lost");
        anna.await("ACK", () -> anna.acks().contains(lost.toString()));
        long position = anna.lastPosition();
        anna.leave();
        consumer.stored(position, new NotStored(position, lost, ROOM, "1"));
        FakeMember again = asking(ROOM, 1);
        FakeMember elsewhere = asking(OTHER_ROOM, 1);
        consumer.stored(elsewhere.lastPosition());
        again.await("what is lost", () -> notStored(again).contains(lost.toString()));
        awaitStored(elsewhere, elsewhere.lastPosition());
        assertThat(notStored(elsewhere)).isEmpty();
    }

    @Test
    void deadLetterBelowTheStoredPositionIsReported() {
        FakeMember anna = asking(ROOM, 1);
        UUID lost = anna.text("lost");
        anna.await("ACK", () -> anna.acks().contains(lost.toString()));
        long position = anna.lastPosition();
        consumer.stored(position);
        awaitStored(anna, position);
        consumer.stored(position, new NotStored(position, lost, ROOM, "1"));
        anna.await("what is lost", () -> notStored(anna).contains(lost.toString()));
    }

    @Test
    void messagesStoredInOtherRoomsSendNothing() {
        FakeMember anna = asking(ROOM, 1);
        FakeMember elsewhere = asking(OTHER_ROOM, 2);
        anna.said("one");
        consumer.stored(anna.lastPosition());
        awaitStored(anna, anna.lastPosition());
        for (int i = 0; i < 3; i++) {
            elsewhere.said("t" + i);
            consumer.stored(elsewhere.lastPosition());
            awaitStored(elsewhere, elsewhere.lastPosition());
        }
        assertThat(anna.frames("STORED")).hasSize(1);
        anna.said("two");
        consumer.stored(anna.lastPosition());
        awaitStored(anna, anna.lastPosition());
        assertThat(anna.frames("STORED")).hasSize(2);
    }

    @Test
    void storedPositionBetweenTwoMessagesCoversTheFirst() {
        FakeMember anna = asking(ROOM, 1);
        anna.said("one");
        long one = anna.lastPosition();
        anna.said("two");
        long two = anna.lastPosition();
        consumer.stored(two - 1);
        awaitStored(anna, two - 1);
        consumer.stored(two);
        awaitStored(anna, two);
        assertThat(one).isLessThan(two - 1);
        consumer.stored(two + 1);
        consumer.stored(one); // one that is behind, as of a consumer that was fenced
        anna.said("three");
        consumer.stored(anna.lastPosition());
        awaitStored(anna, anna.lastPosition());
        assertThat(storedPositions(anna)).containsExactly(two - 1, two, anna.lastPosition());
    }

    @Test
    void moreDeadLettersThanTheBoundAreAllReported() {
        FakeMember anna = asking(ROOM, 1);
        List<Long> positions = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            anna.said("t" + i);
            positions.add(anna.lastPosition());
        }
        for (long position : positions) {
            consumer.stored(position);
            awaitStored(anna, position);
        }
        assertThat(storedPositions(anna)).isEqualTo(positions);
    }

    @Test
    void atMostOneInAnIntervalAndTheLastIsNotLost() {
        Duration interval = Duration.ofMillis(300);
        FakeMember anna = asking(server(interval), ROOM, 1, new Since.Now()).joined();
        long began = System.nanoTime();
        for (int i = 0; i < 20; i++) {
            anna.said("t" + i);
            consumer.stored(anna.lastPosition());
        }
        awaitStored(anna, anna.lastPosition());
        long intervals = (System.nanoTime() - began) / interval.toNanos();
        assertThat(anna.frames("STORED")).hasSizeLessThanOrEqualTo((int) intervals + 2);
        assertThat(storedPositions(anna)).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void storedIsNeverSentBeforeWelcome() {
        FakeMember anna = asking(ROOM, 1);
        for (int i = 0; i < 10; i++) anna.said("t" + i);
        CompletableFuture<Void> answer = history.hold();
        FakeMember late = asking(here, ROOM, 2, new Since.History(9)).join();
        anna.awaitHeard("JOIN 2");
        consumer.stored(anna.lastPosition());
        awaitStored(anna, anna.lastPosition());
        assertThat(late.frames()).isEmpty();
        answer.complete(null);
        awaitStored(late, anna.lastPosition());
        assertThat(late.types().getFirst()).isEqualTo("WELCOME");
        assertThat(anna.frames("STORED")).hasSize(1);
    }

    @Test
    void laterMemberReceivesTheNextStoredAndADepartedOneNone() {
        FakeMember anna = asking(ROOM, 1);
        anna.said("one");
        consumer.stored(anna.lastPosition());
        awaitStored(anna, anna.lastPosition());
        FakeMember bert = asking(ROOM, 2);
        assertThat(bert.frames("STORED")).isEmpty();
        anna.said("two");
        anna.leave();
        bert.awaitHeard("LEAVE 1");
        consumer.stored(bert.lastPosition());
        awaitStored(bert, bert.lastPosition());
        assertThat(anna.frames("STORED")).hasSize(1);
        bert.said("three");
        consumer.stored(bert.lastPosition());
        awaitStored(bert, bert.lastPosition());
        assertThat(bert.frames("STORED")).hasSize(2);
        assertThat(anna.frames("STORED")).hasSize(1);
    }
}
