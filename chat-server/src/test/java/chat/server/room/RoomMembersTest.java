package chat.server.room;

import static org.assertj.core.api.Assertions.assertThat;

import chat.protocol.ClientFrame.Since;
import chat.protocol.RoomId;
import chat.server.presence.PresenceSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Presence of members over two servers on an in-memory log; a room of more than three is large. */
class RoomMembersTest {
    private static final RoomId ROOM = new RoomId("room");

    private final TestServers servers = new TestServers(1);
    private final SteppedClock clock = servers.clock;
    private final BreakableLog log = servers.log;
    private final RoomCounters counters = new RoomCounters();
    private final Rooms here = server("here");
    private final Rooms there = server("there");

    private Rooms server(String id) {
        RoomSettings settings = new TestRoomSettings()
                .serverId(id)
                .recent(1000, 1 << 20, 1 << 20)
                .history(100, Duration.ofSeconds(5))
                .presence(new PresenceSettings(3, 10, Duration.ofMillis(300), 1000, Duration.ofSeconds(1), 10))
                .settings();
        return servers.start(settings, new FakeHistory(), counters);
    }

    @AfterEach
    void close() {
        servers.close();
    }

    private FakeMember member(Rooms server, int user) {
        return new FakeMember(server, clock, ROOM, user, new Since.Now());
    }

    private static int welcomed(FakeMember member) {
        return member.frames("WELCOME").getFirst().get("members").asInt();
    }

    private static int lastCount(FakeMember member) {
        return member.frames("MEMBERS").getLast().get("members").asInt();
    }

    private static List<String> everybodyTold(FakeMember member, String list) {
        return member.frames("MEMBERS").stream()
                .flatMap(told -> users(told.get(list)).stream())
                .toList();
    }

    private static List<String> users(JsonNode members) {
        List<String> users = new ArrayList<>();
        members.forEach(member -> users.add(
                member.get("userId").asString() + " " + member.get("username").asString()));
        return users;
    }

    @Test
    void firstWelcomeCountsTheMembersOfAllServers() {
        member(there, 1).joined();
        member(there, 2).joined();
        FakeMember first = member(here, 3).joined();
        assertThat(welcomed(first)).isEqualTo(3);
        assertThat(welcomed(member(there, 1).joined())).isEqualTo(3);
    }

    @Test
    void membersOfOneEntryAreWelcomedWithIncreasingCounts() {
        FakeMember anna = member(here, 1);
        FakeMember bert = member(here, 2);
        here.whenRoom(ROOM, () -> {
            anna.join();
            bert.join();
        });
        bert.await("WELCOME", () -> !bert.frames("WELCOME").isEmpty());
        assertThat(welcomed(anna)).isEqualTo(1);
        assertThat(welcomed(bert)).isEqualTo(2);
    }

    /** No member was here when that entry was read; the new member receives what follows its JOIN. */
    @Test
    void firstMemberCountsOneThatLeavesLaterInTheEntry() {
        FakeMember anna = member(here, 1);
        FakeMember alsoAnna = member(here, 1);
        FakeMember bert = member(here, 2);
        here.whenRoom(ROOM, () -> {
            anna.join();
            alsoAnna.join();
            bert.join();
            anna.leave();
        });
        bert.awaitHeard("LEAVE 1");
        bert.await("news", () -> !bert.frames("MEMBERS").isEmpty());
        assertThat(everybodyTold(bert, "joined")).containsExactly("1 user1");
        assertThat(lastCount(bert)).isEqualTo(2);
    }

    @Test
    void largeRoomsHearHowManyTheyAreInsteadOfEveryJoinAndLeave() {
        FakeMember anna = member(here, 1).joined();
        FakeMember bert = member(there, 2).joined();
        FakeMember carl = member(there, 3).joined();
        anna.awaitHeard("JOIN 3");
        FakeMember dora = member(there, 4).joined();
        assertThat(welcomed(dora)).isEqualTo(4);
        anna.await("MEMBERS", () -> !anna.frames("MEMBERS").isEmpty());
        JsonNode told = anna.frames("MEMBERS").getFirst();
        assertThat(told.get("members").asInt()).isEqualTo(4);
        assertThat(users(told.get("joined"))).containsExactly("4 user4");
        assertThat(told.get("left")).isEmpty();
        assertThat(told.get("more").asBoolean()).isFalse();
        FakeMember emil = member(here, 5).joined();
        emil.said("five");
        bert.leave();
        anna.awaitHeard("five");
        anna.await("LEAVE", () -> everybodyTold(anna, "left").contains("2 user2"));
        assertThat(lastCount(anna)).isEqualTo(4);
        assertThat(anna.heard()).containsExactly("JOIN 1", "JOIN 2", "JOIN 3", "five");
        assertThat(emil.heard()).containsExactly("five");

        FakeMember later = new FakeMember(here, clock, ROOM, 6, new Since.History(7)).joined();
        later.awaitHeard("JOIN 6");
        assertThat(later.heard())
                .containsExactly("JOIN 1", "JOIN 2", "JOIN 3", "JOIN 4", "JOIN 5", "five", "LEAVE 2", "JOIN 6");
        assertThat(carl.closed()).isNull();
    }

    @Test
    void caughtUpMemberReceivesTheCountAfterHistory() {
        FakeMember anna = member(here, 1).joined();
        anna.said("x");
        FakeMember bert = member(here, 2).joined();
        bert.leave();
        anna.awaitHeard("LEAVE 2");
        FakeMember back = new FakeMember(here, clock, ROOM, 3, new Since.History(4)).joined();
        back.await("MEMBERS", () -> !back.frames("MEMBERS").isEmpty());
        assertThat(back.types()).containsSubsequence("WELCOME", "MESSAGES", "MEMBERS");
        assertThat(lastCount(back)).isEqualTo(2);
    }

    @Test
    void membersAreListedInPages() throws InterruptedException {
        for (int user : new int[] {100, 9, 22}) member(there, user).joined();
        FakeMember anna = member(here, 3).joined();
        assertThat(asks(here, anna, null, 2)).isTrue();
        JsonNode first = lastRoster(anna);
        assertThat(users(first.get("roster"))).containsExactly("3 user3", "9 user9");
        assertThat(first.get("next").asString()).isEqualTo("9");
        assertThat(first.get("members").asInt()).isEqualTo(4);
        assertThat(asks(here, anna, "9", 2)).isTrue();
        JsonNode last = lastRoster(anna);
        assertThat(users(last.get("roster"))).containsExactly("22 user22", "100 user100");
        assertThat(last.get("next").isNull()).isTrue();
        anna.leave();
        anna.await("ACK", () -> anna.acks().size() == 1);
        assertThat(asks(here, anna, null, 2)).isFalse();
    }

    @Test
    void rosterRequestBeforeTheWelcomeIsAnsweredAfterIt() throws InterruptedException {
        FakeMember anna = member(here, 1).join();
        assertThat(asks(here, anna, null, 5)).isTrue();
        anna.await("answer", () -> !anna.frames("MEMBERS").isEmpty());
        assertThat(anna.types()).startsWith("WELCOME").contains("MEMBERS");
    }

    @Test
    void rosterPageFollowsTheMessagesThatItCounts() throws InterruptedException {
        RoomSettings settings = new TestRoomSettings()
                .serverId("slow")
                .recent(1000, 1 << 20, 1 << 20)
                .history(100, Duration.ofSeconds(5))
                .settings();
        Rooms slow = servers.start(settings, new FakeHistory(), counters);
        FakeMember anna = member(slow, 1).joined();
        FakeMember bert = member(there, 2).joined();
        anna.awaitHeard("JOIN 2");
        servers.makeBusy(anna);
        bert.leave();
        do assertThat(asks(slow, anna, null, 5)).isTrue();
        while (lastRoster(anna).get("members").asInt() > 1);
        assertThat(anna.types()).endsWith("MESSAGES", "MEMBERS");
        assertThat(anna.heard()).endsWith("LEAVE 2");
    }

    /** Without the members that joined or left since. */
    private static JsonNode lastRoster(FakeMember member) {
        return member.frames("MEMBERS").stream()
                .filter(frame -> frame.has("roster"))
                .toList()
                .getLast();
    }

    private static boolean asks(Rooms server, FakeMember member, @Nullable String after, int limit)
            throws InterruptedException {
        BlockingQueue<Boolean> answers = new LinkedBlockingQueue<>();
        server.roster(member.membership(), after, limit, answers::add);
        return Boolean.TRUE.equals(answers.poll(10, TimeUnit.SECONDS));
    }

    @Test
    void pendingLeaveIsPublishedWhenTheLogIsBack() {
        FakeMember anna = member(there, 1).joined();
        FakeMember bert = member(here, 2).joined();
        anna.awaitHeard("JOIN 2");
        log.down();
        bert.leaveLater();
        anna.await("log", () -> !here.available());
        assertThat(anna.heard()).containsExactly("JOIN 1", "JOIN 2");
        log.mend();
        anna.awaitHeard("LEAVE 2");
        assertThat(welcomed(member(there, 3).joined())).isEqualTo(2);
        assertThat(counters.presence.lateLeaves.sum()).isEqualTo(1);
        assertThat(counters.presence.corrections.sum()).isZero();
    }

    @Test
    void membersOfAKilledServerAreReportedAsLeft() {
        FakeMember anna = member(here, 1).joined();
        member(there, 1).joined();
        member(there, 2).joined();
        anna.awaitHeard("JOIN 2");
        there.close();
        Awaitility.await().pollInterval(Duration.ofMillis(300)).until(() -> {
            clock.step(Duration.ofSeconds(5));
            return counters.presence.runsGone.sum() > 0;
        });
        anna.await("who has left", () -> everybodyTold(anna, "left").contains("2 user2"));
        assertThat(everybodyTold(anna, "left")).containsExactly("2 user2");
        assertThat(lastCount(anna)).isEqualTo(1);
        assertThat(welcomed(member(here, 3).joined())).isEqualTo(2);
    }
}
