package chat.server;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import chat.log.InMemoryRoomLog;
import chat.log.LineFields;
import chat.protocol.RoomId;
import chat.server.admission.ConnectionLimit;
import chat.server.room.FakeConsumer;
import chat.server.session.Sessions;
import chat.testing.LoggedLines;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Two servers on one log, and people who chat through both. */
class ChatServerIT {
    private static InMemoryRoomLog log;
    private static TestServer here;
    private static TestServer there;

    @BeforeAll
    static void start() {
        log = new InMemoryRoomLog(4, 64 << 20, Clock.systemUTC());
        here = TestServer.start(log, "chat.server.id=here");
        there = TestServer.start(log, "chat.server.id=there");
    }

    @AfterAll
    static void stop() {
        here.close();
        there.close();
        log.close();
    }

    @Test
    void textReachesTheOtherServerAndItsAckFollowsTheEcho() {
        try (Guest anna = Guest.connect(here, "lobby", 1);
                Guest bert = Guest.connect(there, "lobby", 2)) {
            anna.joined();
            bert.joined();
            UUID id = anna.text("hello");
            bert.awaitText("hello");
            anna.awaitAck(id);
            List<JsonNode> frames = anna.frames();
            JsonNode ack = frames.getLast();
            JsonNode echo = frames.get(frames.size() - 2);
            assertThat(ack.get("type").asString()).isEqualTo("ACK");
            assertThat(ack.get("status").asString()).isEqualTo("accepted");
            assertThat(echo.get("type").asString()).isEqualTo("MESSAGES");
            assertThat(echo.get("position")).isEqualTo(ack.get("position"));
            bert.text("hi");
            anna.awaitText("hi");
        }
    }

    @Test
    void memberThatAskedReceivesStored() {
        try (Guest anna = Guest.connect(here, "archive", 1);
                Guest bert = Guest.connect(there, "archive", 2);
                FakeConsumer consumer = new FakeConsumer(log, new RoomId("archive").partition(4))) {
            anna.say("{\"messageType\":\"JOIN\",\"stored\":true," + anna.identity() + "}");
            anna.await("WELCOME", () -> !anna.frames("WELCOME").isEmpty());
            bert.joined();
            UUID id = anna.text("keep this");
            anna.awaitAck(id);
            bert.awaitText("keep this");
            assertThat(anna.frames("STORED")).isEmpty();
            consumer.stored(anna.position());
            JsonNode stored = anna.awaitFrame("STORED", any -> true);
            assertThat(stored.get("roomId").asString()).isEqualTo("archive");
            assertThat(Long.parseLong(stored.get("position").asString())).isEqualTo(anna.position());
            bert.text("after");
            anna.awaitText("after");
            assertThat(bert.frames("STORED")).isEmpty();
        }
    }

    @Test
    void joinReceivesWelcomeThenItselfAndNoAck() {
        try (Guest anna = Guest.connect(here, "hall", 1)) {
            anna.joined();
            anna.await("own JOIN", () -> !anna.heard().isEmpty());
            JsonNode welcome = anna.frames().getFirst();
            assertThat(welcome.get("type").asString()).isEqualTo("WELCOME");
            assertThat(welcome.get("serverId").asString()).isEqualTo("here");
            assertThat(welcome.get("members").asInt()).isEqualTo(1);
            assertThat(welcome.get("pingIntervalMs").asInt()).isEqualTo(25_000);
            assertThat(welcome.get("limits").get("maxMessageLength").asInt()).isEqualTo(500);
            Guest.Heard join = anna.heard().getFirst();
            assertThat(join.type()).isEqualTo("JOIN");
            assertThat(join.position())
                    .isEqualTo(Long.parseLong(welcome.get("position").asString()) + 1);
            UUID text = anna.text("first");
            anna.awaitAck(text);
            assertThat(anna.acks()).containsOnlyKeys(text.toString());
        }
    }

    @Test
    void allMembersOnAllServersHearOneOrder() {
        int members = 8;
        int texts = 100;
        List<Guest> guests = new ArrayList<>();
        for (int i = 0; i < members; i++)
            guests.add(Guest.connect(i % 2 == 0 ? here : there, "order", i + 1).joined());
        for (int i = 0; i < texts; i++) for (Guest guest : guests) guest.text("text" + i);
        for (Guest guest : guests) guest.await("all texts", () -> guest.texts().size() == members * texts);
        List<String> order = ids(guests.getFirst());
        for (Guest guest : guests) {
            List<String> ids = ids(guest);
            assertThat(ids).isEqualTo(order);
            assertThat(new HashSet<>(ids)).hasSameSizeAs(ids);
        }
        guests.forEach(Guest::close);
    }

    private static List<String> ids(Guest guest) {
        return guest.heard().stream()
                .filter(heard -> heard.text() != null)
                .map(Guest.Heard::id)
                .toList();
    }

    @RepeatedTest(20)
    void thousandPipelinedTextsAndALeaveAreDeliveredInOrderThenAcknowledged() {
        try (Guest anna = Guest.connect(here, "burst", 1)) {
            anna.join();
            List<String> said = new ArrayList<>();
            for (int i = 0; i < 1000; i++) said.add(anna.text("t" + i).toString());
            UUID left = anna.leave();
            anna.awaitAck(left);
            List<Guest.Heard> heard = anna.heard();
            assertThat(heard).hasSize(1002);
            assertThat(heard.getFirst().type()).isEqualTo("JOIN");
            assertThat(heard.getLast().type()).isEqualTo("LEAVE");
            assertThat(heard.subList(1, 1001).stream().map(Guest.Heard::id)).containsExactlyElementsOf(said);
            List<String> acknowledged = new ArrayList<>(said);
            acknowledged.add(left.toString());
            assertThat(anna.acks().keySet()).containsExactlyElementsOf(acknowledged);
        }
    }

    @Test
    void memberThatLeftReceivesNothingAndMayRejoin() {
        try (Guest anna = Guest.connect(here, "door", 1);
                Guest bert = Guest.connect(here, "door", 2)) {
            anna.joined();
            bert.joined();
            anna.awaitAck(anna.leave());
            bert.awaitAck(bert.text("gone?"));
            assertThat(anna.texts()).isEmpty();
            assertThat(anna.heard().getLast().type()).isEqualTo("LEAVE");
            anna.join();
            anna.await("second WELCOME", () -> anna.frames("WELCOME").size() == 2);
            bert.text("again");
            anna.awaitText("again");
            assertThat(anna.texts()).containsExactly("again");
        }
    }

    @Test
    void lostConnectionPublishesALeaveAfterAllTexts() {
        try (Guest anna = Guest.connect(here, "drop", 1);
                Guest bert = Guest.connect(there, "drop", 2)) {
            bert.joined();
            anna.joined();
            for (int i = 0; i < 50; i++) anna.text("t" + i);
            anna.awaitText("t49");
            anna.abort();
            bert.await("LEAVE", () -> bert.heard().getLast().type().equals("LEAVE"));
            assertThat(bert.texts()).hasSize(50);
        }
    }

    @Test
    void arrayIsAcceptedInOrderWithOneErrorPerFault() {
        try (Guest anna = Guest.connect(here, "array", 1)) {
            String join = "{\"messageType\":\"JOIN\"," + anna.identity() + "}";
            UUID first = UUID.randomUUID();
            UUID second = UUID.randomUUID();
            anna.say("[" + join + "," + anna.textFrame("one", first) + ",{},7," + anna.textFrame("two", second) + "]");
            anna.awaitAck(second);
            assertThat(anna.texts()).containsExactly("one", "two");
            assertThat(anna.acks()).containsOnlyKeys(first.toString(), second.toString());
            assertThat(anna.frames("ERROR")).hasSize(2);
        }
    }

    @Test
    void oneSocketTalksInSeveralRooms() {
        try (Guest anna = Guest.connect(here, "room0", 1);
                Guest bert = Guest.connect(there, "room5", 2)) {
            bert.joined();
            for (int i = 0; i < 10; i++) anna.join("room" + i);
            anna.await("ten WELCOMEs", () -> anna.frames("WELCOME").size() == 10);
            anna.say("{\"messageType\":\"TEXT\",\"roomId\":\"room5\",\"message\":\"to five\"," + anna.identity() + "}");
            bert.awaitText("to five");
            anna.awaitText("to five");
            assertThat(anna.heard().stream().filter(heard -> heard.text() != null))
                    .allMatch(heard -> heard.room().equals("room5"));
        }
    }

    @Test
    void resumingOnTheOtherServerMissesNothingAndDoublesNothing() {
        try (Guest anna = Guest.connect(here, "resume", 1);
                Guest bert = Guest.connect(here, "resume", 2)) {
            bert.joined();
            anna.joined();
            for (int i = 0; i < 20; i++) bert.text("t" + i);
            anna.awaitText("t19");
            long position = anna.position();
            anna.abort();
            for (int i = 20; i < 40; i++) bert.text("t" + i);
            try (Guest again = Guest.connect(there, "resume", 1)) {
                again.resume(position);
                for (int i = 40; i < 60; i++) bert.text("t" + i);
                again.awaitText("t59");
                List<String> texts = new ArrayList<>(anna.texts());
                texts.addAll(again.texts());
                assertThat(texts)
                        .containsExactlyElementsOf(
                                IntStream.range(0, 60).mapToObj(i -> "t" + i).toList());
                assertThat(again.frames("WELCOME").getFirst().get("position").asString())
                        .isEqualTo(Long.toString(position));
                assertThat(again.frames("GAP")).isEmpty();
            }
        }
    }

    @Test
    void resendThroughTheOtherServerIsAcknowledgedWithItsFirstPositionAndDeliveredOnce() {
        try (Guest anna = Guest.connect(here, "again", 1);
                Guest bert = Guest.connect(there, "again", 2)) {
            anna.joined();
            bert.joined();
            UUID id = anna.text("once");
            anna.awaitAck(id);
            bert.awaitText("once");
            anna.abort();
            try (Guest again = Guest.connect(there, "again", 1)) {
                again.joined();
                again.text("once", id);
                UUID next = again.text("next");
                again.awaitAck(next);
                bert.awaitText("next");
                assertThat(again.acks().get(id.toString()))
                        .isEqualTo(anna.acks().get(id.toString()));
                assertThat(again.acks().get(next.toString()))
                        .isGreaterThan(again.acks().get(id.toString()));
                assertThat(bert.texts()).containsExactly("once", "next");
                assertThat(again.texts()).containsExactly("next");
            }
        }
    }

    @Test
    void closedSocketsFreeTheConnectionLimit() {
        List<Guest> guests = new ArrayList<>();
        for (int i = 0; i < 5; i++)
            guests.add(Guest.connect(here, "places", i + 1).joined());
        assertThat(here.bean(ConnectionLimit.class).current()).isGreaterThanOrEqualTo(5);
        guests.subList(0, 3).forEach(Guest::close);
        guests.subList(3, 5).forEach(Guest::abort);
        Awaitility.await().untilAsserted(() -> {
            assertThat(here.bean(ConnectionLimit.class).current()).isZero();
            assertThat(here.bean(Sessions.class).count()).isZero();
            assertThat(here.bean(Sessions.class).outboxBytes()).isZero();
        });
    }

    @Test
    void lifeOfASocketIsLoggedUnderItsId() {
        try (LoggedLines lines = LoggedLines.of("chat.server", Level.DEBUG)) {
            try (Guest anna = Guest.connect(here, "traced", 1).joined()) {
                anna.awaitAck(anna.leave());
            }
            Awaitility.await()
                    .until(() -> lines.texts(LineFields.ROOM, "traced").size() == 3);
            String opened = lines.texts(LineFields.ROOM, "traced").getFirst();
            String session = opened.substring(0, opened.indexOf(' '));
            Awaitility.await()
                    .untilAsserted(() -> assertThat(lines.texts(LineFields.SESSION, session))
                            .containsExactly(
                                    session + " opened for room traced",
                                    "session " + session + " joined room traced",
                                    "session " + session + " left room traced",
                                    session + " has ended: NORMAL"));
        }
    }

    @Test
    void requestedSubprotocolIsEchoed() {
        try (Guest plain = Guest.connect(here, "lobby", 1);
                Guest named = Guest.connect(here, "lobby", 1, "confab.v1")) {
            assertThat(plain.subprotocol()).isEmpty();
            assertThat(named.subprotocol()).isEqualTo("confab.v1");
        }
    }
}
