package chat.server;

import static org.assertj.core.api.Assertions.assertThat;

import chat.nodes.RabbitNode;
import chat.nodes.RabbitSettings;
import chat.testing.Needs;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Members of a room over several servers on a real broker, one of which is killed. */
@Needs("rabbitmq")
class PresenceRabbitIT {
    @TempDir
    static Path directory;

    private static RabbitNode node;
    private static TestServer here;
    private static TestServer there;

    @BeforeAll
    static void start() {
        node = new RabbitNode(RabbitSettings.in(directory)).start();
        here = server("here");
        there = server("there");
    }

    private static TestServer server(String id) {
        return TestServer.startOnRabbit(
                node.uri(),
                // A short pause must not time out a server.
                new TestConstants().heartbeat(Duration.ofSeconds(1), Duration.ofSeconds(6)),
                "chat.server.id=" + id,
                "chat.server.presence.single-up-to=5",
                "chat.server.drain.timeout=1s");
    }

    @AfterAll
    static void stop() {
        here.close();
        there.close();
        node.close();
    }

    private static int welcomed(Guest guest) {
        return guest.frames("WELCOME").getFirst().get("members").asInt();
    }

    private static List<String> users(JsonNode members) {
        List<String> users = new ArrayList<>();
        members.forEach(member -> users.add(member.get("userId").asString()));
        return users;
    }

    private static JsonNode counted(Guest guest, int members) {
        return guest.awaitFrame(
                "MEMBERS", frame -> frame.get("members").asInt() == members && frame.get("joined") != null);
    }

    @Test
    void membersOfAKilledServerAreRemovedEverywhere() {
        Guest anna = Guest.connect(here, "mortals", 1).joined();
        assertThat(welcomed(anna)).isEqualTo(1);
        TestServer doomed = server("doomed");
        // The first member that this server reads the partition for.
        Guest carl = Guest.connect(doomed, "mortals", 30).joined();
        assertThat(welcomed(carl)).isEqualTo(2);
        Guest annaAgain = Guest.connect(doomed, "mortals", 1).joined();
        assertThat(welcomed(annaAgain)).isEqualTo(2);
        Guest bert = Guest.connect(there, "mortals", 4).joined();
        assertThat(welcomed(bert)).isEqualTo(3);
        bert.say("{\"messageType\":\"MEMBERS\",\"userId\":\"4\",\"username\":\"guest4\",\"limit\":2}");
        JsonNode page = bert.awaitFrame("MEMBERS", frame -> frame.get("roster") != null);
        assertThat(users(page.get("roster"))).containsExactly("1", "4");
        assertThat(page.get("next").asString()).isEqualTo("4");

        doomed.die(); // it publishes nothing more

        for (Guest left : List.of(anna, bert)) {
            JsonNode told = left.awaitFrame(
                    "MEMBERS", frame -> frame.has("left") && !frame.get("left").isEmpty());
            assertThat(users(told.get("left"))).containsExactly("30");
            assertThat(told.get("members").asInt()).isEqualTo(2);
        }
        Guest dora = Guest.connect(here, "mortals", 5).joined();
        assertThat(welcomed(dora)).isEqualTo(3);
        assertThat(anna.heard())
                .extracting(heard -> heard.type() + " " + heard.userId())
                .startsWith("JOIN 1", "JOIN 30", "JOIN 1", "JOIN 4")
                .doesNotContain("LEAVE 30");
        doomed.close();
    }

    @Test
    void largeRoomReceivesAggregatedMembers() {
        List<Guest> guests = new ArrayList<>();
        for (int user = 1; user <= 5; user++)
            guests.add(
                    Guest.connect(user % 2 == 0 ? here : there, "crowd", user).joined());
        Guest first = guests.getFirst();
        first.await("all", () -> first.heard().size() == 5);
        Guest sixth = Guest.connect(here, "crowd", 6).joined();
        assertThat(welcomed(sixth)).isEqualTo(6);
        assertThat(users(counted(first, 6).get("joined"))).containsExactly("6");
        sixth.text("six");
        first.awaitText("six");
        sixth.awaitText("six");
        assertThat(first.heard()).hasSize(6);
        assertThat(sixth.heard()).hasSize(1);
        guests.add(sixth);
        for (int user = 7; user <= 8; user++)
            guests.add(Guest.connect(there, "crowd", user).joined());
        assertThat(welcomed(guests.getLast())).isEqualTo(8);
        // It stays large: a small room receives every LEAVE.
        guests.get(3).close();
        guests.get(4).close();
        JsonNode fewer = sixth.awaitFrame(
                "MEMBERS",
                frame -> frame.get("members").asInt() == 6
                        && !users(frame.get("left")).isEmpty());
        assertThat(fewer.get("more").asBoolean()).isFalse();
        assertThat(sixth.frames("MEMBERS"))
                .flatExtracting(frame -> users(frame.get("left")))
                .containsExactlyInAnyOrder("4", "5");
        assertThat(sixth.heard()).hasSize(1);
        guests.forEach(Guest::close);
    }
}
