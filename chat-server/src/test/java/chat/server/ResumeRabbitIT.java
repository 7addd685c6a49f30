package chat.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import chat.nodes.Ports;
import chat.nodes.RabbitNode;
import chat.nodes.RabbitSettings;
import chat.protocol.RoomId;
import chat.server.room.RoomCounters;
import chat.server.room.Rooms;
import chat.testing.Needs;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Members that resume receive every message once, although the server has almost no memory and there is no consumer or
 * database: everything is read from the broker's log.
 */
@Needs("rabbitmq")
class ResumeRabbitIT {
    @TempDir
    static Path directory;

    private static RabbitNode node;
    private TestServer here;
    private TestServer there;

    @BeforeAll
    static void startBroker() {
        node = new RabbitNode(RabbitSettings.in(directory)).start();
    }

    @AfterAll
    static void stopBroker() {
        node.close();
    }

    @BeforeEach
    void start() {
        here = server("here");
        there = server("there");
    }

    @AfterEach
    void stop() {
        here.close();
        there.close();
    }

    private static TestServer server(String id) {
        return TestServer.startOnRabbit(
                node.uri(),
                new TestConstants().recentMessages(5),
                "chat.server.id=" + id,
                "chat.server.history.url=http://127.0.0.1:" + Ports.free());
    }

    /** Sends texts in groups of ten, each group in entries of its own. */
    private static void talk(Guest guest, String word, int messages) {
        for (int i = 0; i < messages; i++) {
            UUID id = guest.text(word + i);
            if (i % 10 == 9) guest.awaitAck(id);
        }
    }

    private static List<String> ids(Guest... sockets) {
        List<String> ids = new ArrayList<>();
        for (Guest socket : sockets) for (Guest.Heard heard : socket.heard()) ids.add(heard.id());
        return ids;
    }

    /** Asserts that one member received over its sockets exactly a range of what another received. */
    private static void assertNothingIsMissing(Guest witness, Guest... sockets) {
        List<String> heard = ids(sockets);
        // The other server may not have delivered the latest messages yet.
        witness.await("the same", () -> ids(witness).contains(heard.getLast()));
        List<String> all = ids(witness);
        assertThat(heard)
                .doesNotHaveDuplicates()
                .isEqualTo(all.subList(all.indexOf(heard.getFirst()), all.indexOf(heard.getLast()) + 1));
        for (Guest socket : sockets) assertThat(socket.frames("GAP")).isEmpty();
    }

    @Test
    void onAnotherServerWhileOthersTalk() throws Exception {
        try (Guest anna = Guest.connect(here, "room", 1);
                Guest bert = Guest.connect(here, "room", 2)) {
            anna.joined();
            bert.joined();
            talk(anna, "a", 50);
            bert.awaitText("a49");
            bert.abort();
            long position = bert.position();
            Thread talking = Thread.startVirtualThread(() -> talk(anna, "b", 500));
            try (Guest again = Guest.connect(there, "room", 2).resume(position)) {
                again.awaitText("b499");
                anna.awaitText("b499");
                assertNothingIsMissing(anna, bert, again);
                again.awaitAck(again.text("back"));
            }
            assertThat(talking.join(Duration.ofMinutes(1))).isTrue();
        }
    }

    @Test
    void afterTheirPartitionWasGivenUp() throws Exception {
        try (TestServer fickle = TestServer.startOnRabbit(
                        node.uri(), "chat.server.id=fickle", "chat.server.room.partition-grace=100ms");
                Guest anna = Guest.connect(here, "quiet", 1);
                Guest bert = Guest.connect(fickle, "quiet", 2)) {
            anna.joined();
            bert.joined();
            talk(anna, "a", 10);
            bert.awaitText("a9");
            bert.abort();
            await().until(() -> fickle.bean(Rooms.class).partitionsRead() == 0);
            talk(anna, "b", 20);
            try (Guest again = Guest.connect(fickle, "quiet", 2).resume(bert.position())) {
                again.awaitText("b19");
                again.text("back");
                again.awaitText("back");
                anna.awaitText("back");
                assertNothingIsMissing(anna, bert, again);
            }
        }
    }

    @Test
    void lostMessageIsPublishedAgainOnResend() {
        try (Guest anna = Guest.connect(here, "lost", 1).joined()) {
            UUID id = anna.text("once more");
            anna.awaitAck(id);
            anna.awaitText("once more");
            node.ctl("delete_queue", "chat.log." + new RoomId("lost").partition(4));
            anna.await("GAP", () -> !anna.frames("GAP").isEmpty());
            long lost = Long.parseLong(anna.frames("GAP").getFirst().get("to").asString());
            anna.text("once more", id);
            anna.await(
                    "the text in its new place",
                    () -> anna.position() > lost && anna.frames("ACK").size() == 2);
            long position =
                    Long.parseLong(anna.frames("ACK").getLast().get("position").asString());
            assertThat(position).isGreaterThan(lost);
            assertThat(anna.texts()).containsExactly("once more", "once more");
        }
    }

    @Test
    void twiceInARow() {
        try (Guest anna = Guest.connect(here, "twice", 1);
                Guest bert = Guest.connect(here, "twice", 2)) {
            anna.joined();
            bert.joined();
            bert.abort();
            talk(anna, "a", 200);
            try (Guest again = Guest.connect(there, "twice", 2).resume(bert.position())) {
                again.awaitText("a20");
                again.abort();
                talk(anna, "b", 200);
                try (Guest third = Guest.connect(here, "twice", 2).resume(again.position())) {
                    third.awaitText("b199");
                    anna.awaitText("b199");
                    assertNothingIsMissing(anna, bert, again, third);
                }
            }
        }
    }

    @Test
    void withNothingReceivedYet() {
        try (Guest anna = Guest.connect(here, "nothing", 1);
                Guest bert = Guest.connect(here, "nothing", 2)) {
            anna.joined();
            bert.joined();
            long welcomed = Long.parseLong(
                    bert.frames("WELCOME").getFirst().get("position").asString());
            bert.abort();
            talk(anna, "a", 200);
            try (Guest again = Guest.connect(there, "nothing", 2).resume(welcomed)) {
                again.awaitText("a199");
                anna.awaitText("a199");
                assertThat(again.heard().getFirst().type()).isEqualTo("JOIN");
                assertNothingIsMissing(anna, again);
            }
        }
    }

    @Test
    void afterTheOldServersEndOnOneThatNeverReadTheRoom() {
        try (Guest anna = Guest.connect(here, "gone", 1)) {
            anna.joined();
            talk(anna, "a", 300);
            long position = anna.heard().get(20).position();
            List<String> heard = ids(anna).subList(21, 301);
            here.close();
            assertThat(anna.closeCode()).isEqualTo(4200);
            try (TestServer fresh = server("fresh");
                    Guest again = Guest.connect(fresh, "gone", 1).resume(position)) {
                again.awaitAck(again.text("back"));
                List<String> caughtUp = ids(again);
                assertThat(caughtUp).doesNotHaveDuplicates().startsWith(heard.toArray(String[]::new));
                // Its LEAVE by the old server, its JOIN, and what it has said itself.
                assertThat(caughtUp).hasSize(heard.size() + 3);
                assertThat(again.frames("GAP")).isEmpty();
                assertThat(fresh.bean(RoomCounters.class).backlogReads.sum()).isPositive();
            }
        }
    }

    /** The last texts may be in the log or not: resent under their ids, each is there once. */
    @Test
    void afterTheOldServersDeathOnOneThatHasReadNothing() {
        try (Guest anna = Guest.connect(here, "dead", 1)) {
            anna.joined();
            talk(anna, "a", 300);
            long position = anna.heard().get(20).position();
            List<String> missed = ids(anna).subList(21, 301);
            List<UUID> last = new ArrayList<>();
            for (int i = 0; i < 5; i++) last.add(anna.text("b" + i));
            here.die();
            anna.abort();
            try (TestServer fresh = server("fresh");
                    Guest again = Guest.connect(fresh, "dead", 1).resume(position)) {
                again.awaitFrame("WELCOME", any -> true);
                for (int i = 0; i < last.size(); i++) again.text("b" + i, last.get(i));
                last.forEach(again::awaitAck);
                again.awaitAck(again.text("back"));
                List<String> caughtUp = ids(again);
                assertThat(caughtUp)
                        .doesNotHaveDuplicates()
                        .startsWith(missed.toArray(String[]::new))
                        .containsAll(last.stream().map(UUID::toString).toList())
                        .hasSize(missed.size() + last.size() + 2); // its JOIN and what it has said itself; no LEAVE
                assertThat(again.frames("GAP")).isEmpty();
                assertThat(fresh.bean(RoomCounters.class).backlogReads.sum()).isPositive();
            }
        }
    }
}
