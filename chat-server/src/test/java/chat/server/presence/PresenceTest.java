package chat.server.presence;

import static org.assertj.core.api.Assertions.assertThat;

import chat.log.LogSettings;
import chat.log.Roster;
import chat.protocol.Member;
import chat.protocol.MessageType;
import chat.protocol.RoomId;
import chat.server.presence.SimulatedServer.Session;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Servers on one log, step by step. */
class PresenceTest {
    private static final RoomId ROOM = new RoomId("room");
    private static final Member ANNA = new Member("1", "anna");
    private static final Member BERT = new Member("22", "bert");
    private static final Member CARL = new Member("3", "carl");
    private static final PresenceSettings SETTINGS =
            new PresenceSettings(3, 2, Duration.ofSeconds(1), 100, Duration.ofMillis(500), 10);

    private final Tape tape = new Tape();
    private final List<SimulatedServer> servers = new ArrayList<>();
    private long nanos;

    @AfterEach
    void close() {
        tape.close();
    }

    private SimulatedServer server(long run, PresenceSettings settings) {
        SimulatedServer server = new SimulatedServer(run, tape, 0, LogSettings.DEFAULT, settings, () -> nanos);
        servers.add(server);
        return server;
    }

    private SimulatedServer server(long run) {
        return server(run, SETTINGS);
    }

    /** All that is on its way arrives and is read, answers included. */
    private void flow() {
        boolean more = true;
        while (more) {
            more = false;
            for (SimulatedServer server : servers) {
                server.write();
                while (server.hasOnItsWay()) server.arrive();
            }
            for (SimulatedServer server : servers) {
                more |= server.hasUnread();
                server.readAll();
            }
        }
    }

    private void pass(Duration time) {
        for (long left = time.toMillis(); left > 0; left -= 250) {
            nanos += Duration.ofMillis(250).toNanos();
            servers.forEach(SimulatedServer::tick);
            flow();
        }
    }

    private static int members(SimulatedServer server) {
        return server.presence.members(ROOM);
    }

    private static List<String> names(List<Member> members) {
        return members.stream().map(Member::username).toList();
    }

    @Test
    void membersAreDistinctUsersOfAllServers() {
        SimulatedServer here = server(10);
        SimulatedServer there = server(20);
        flow();
        Session first = here.join(ROOM, ANNA);
        here.join(ROOM, ANNA);
        there.join(ROOM, ANNA);
        there.join(ROOM, BERT);
        flow();
        assertThat(members(here)).isEqualTo(2);
        assertThat(members(there)).isEqualTo(2);
        here.leave(first);
        flow();
        assertThat(members(there)).isEqualTo(2);
    }

    @Test
    void startingServerIsReadyAfterTheOthersRosters() {
        SimulatedServer here = server(10);
        flow();
        pass(SETTINGS.patience());
        here.join(ROOM, ANNA);
        flow();
        SimulatedServer late = new SimulatedServer(20, tape, tape.size(), LogSettings.DEFAULT, SETTINGS, () -> nanos);
        here.tick(); // its next heartbeat is all that the newcomer reads of it before its own HELLO
        pass(Duration.ofSeconds(5));
        servers.add(late);
        late.arrive();
        late.readAll();
        assertThat(late.presence.isReady()).isFalse();
        assertThat(members(late)).isZero();
        flow();
        assertThat(late.presence.isReady()).isTrue();
        assertThat(members(late)).isEqualTo(1);
        assertThat(names(late.presence.page(ROOM, null, 10).roster())).containsExactly("anna");
    }

    @Test
    void displayNamesAreKnownFromJoinsAndFromRosters() {
        Member zoe = new Member("auth0|7", "zoe42", "Zo\u00eb");
        SimulatedServer here = server(10);
        SimulatedServer there = server(20);
        flow();
        here.join(ROOM, zoe);
        here.join(ROOM, ANNA);
        flow();
        assertThat(there.presence.page(ROOM, null, 10).roster()).containsExactly(ANNA, zoe);
        SimulatedServer late = server(30);
        flow();
        pass(SETTINGS.patience());
        assertThat(late.presence.page(ROOM, null, 10).roster()).containsExactly(ANNA, zoe);
        there.join(ROOM, new Member("auth0|7", "zoe42", "Zo\u00eb E."));
        flow();
        assertThat(members(late)).isEqualTo(2);
    }

    @Test
    void startingServerDoesNotWaitForDeadServers() {
        SimulatedServer dead = server(10);
        flow();
        dead.join(ROOM, ANNA);
        flow();
        servers.clear();
        SimulatedServer late = server(20);
        flow();
        assertThat(late.presence.isReady()).isFalse();
        pass(SETTINGS.patience());
        assertThat(late.presence.isReady()).isTrue();
        pass(LogSettings.DEFAULT.silence().plusSeconds(6));
        assertThat(members(late)).isZero();
    }

    @Test
    void entriesBetweenARosterAndItsStateCountOnce() {
        SimulatedServer here = server(10);
        flow();
        Session anna = here.join(ROOM, ANNA);
        flow();
        // On its way when the newcomer says hello, and read by its own server after the roster was made.
        here.leave(anna);
        here.join(ROOM, BERT);
        here.write();
        here.join(ROOM, BERT);
        here.write();
        int here0 = tape.size();
        SimulatedServer late = new SimulatedServer(20, tape, here0, LogSettings.DEFAULT, SETTINGS, () -> nanos);
        servers.add(late);
        late.arrive(); // HELLO
        here.readAll(); // the roster follows what is on its way
        here.arrive();
        here.arrive();
        here.arrive();
        assertThat(here.hasOnItsWay()).isFalse();
        late.readAll();
        assertThat(names(late.presence.page(ROOM, null, 10).roster())).containsExactly("bert");
        here.readAll();
        assertThat(names(here.presence.page(ROOM, null, 10).roster())).containsExactly("bert");
        assertThat(here.counters.corrections.sum()).isZero();
    }

    @Test
    void membersOfADeadServerAreRemoved() {
        SimulatedServer here = server(10);
        SimulatedServer there = server(20);
        SimulatedServer dead = server(30);
        flow();
        here.join(ROOM, ANNA);
        dead.join(ROOM, ANNA);
        dead.join(ROOM, BERT);
        flow();
        pass(Duration.ofMillis(250)); // to its first heartbeat
        servers.remove(dead);
        here.takeUpdates();
        pass(LogSettings.DEFAULT.silence().minusSeconds(1));
        assertThat(members(here)).isEqualTo(2);
        pass(Duration.ofSeconds(6));
        assertThat(members(here)).isEqualTo(1);
        assertThat(members(there)).isEqualTo(1);
        PresenceUpdate update = here.takeUpdates().getFirst();
        assertThat(update.members()).isEqualTo(1);
        assertThat(names(update.left())).containsExactly("bert");
        assertThat(update.joined()).isEmpty();
        assertThat(here.counters.runsGone.sum()).isEqualTo(1);
        assertThat(there.counters.runsGone.sum()).isEqualTo(1);
    }

    @Test
    void pausedServerPublishesItsRosterAgain() {
        SimulatedServer here = server(10);
        SimulatedServer sleeper = server(20);
        flow();
        sleeper.join(ROOM, ANNA);
        flow();
        servers.remove(sleeper);
        pass(Duration.ofSeconds(25));
        assertThat(members(here)).isZero();
        servers.add(sleeper);
        flow();
        assertThat(members(here)).isEqualTo(1);
        assertThat(members(sleeper)).isEqualTo(1);
        assertThat(sleeper.counters.corrections.sum()).isEqualTo(1);
    }

    @Test
    void serverKnownOnlyByItsRosterPublishesItAgainAfterAPause() {
        SimulatedServer sleeper = server(20);
        flow();
        sleeper.join(ROOM, ANNA);
        flow();
        // Begins where nothing of what was said there can be read any more.
        SimulatedServer here = new SimulatedServer(10, tape, tape.size(), LogSettings.DEFAULT, SETTINGS, () -> nanos);
        servers.add(here);
        flow();
        assertThat(members(here)).isEqualTo(1);
        pauseUntilForgotten(sleeper, here);
        flow();
        assertThat(members(here)).isEqualTo(1);
        assertThat(members(sleeper)).isEqualTo(1);
    }

    @Test
    void serverPausedTwicePublishesItsRosterTwice() {
        SimulatedServer here = server(10);
        SimulatedServer sleeper = server(20);
        flow();
        sleeper.join(ROOM, ANNA);
        flow();
        for (int pause = 0; pause < 2; pause++) {
            pauseUntilForgotten(sleeper, here);
            flow();
            assertThat(members(here)).isEqualTo(1);
            assertThat(members(sleeper)).isEqualTo(1);
        }
    }

    @Test
    void serverRemovedByAnOldEntryPublishesItsRosterAgain() {
        SimulatedServer sleeper = server(20);
        flow();
        sleeper.join(ROOM, ANNA);
        flow();
        for (int entry = 0; entry < 100; entry++) {
            sleeper.leave(sleeper.join(ROOM, BERT));
            flow();
        }
        SimulatedServer here = new SimulatedServer(10, tape, tape.size(), LogSettings.DEFAULT, SETTINGS, () -> nanos);
        servers.add(here);
        flow();
        Roster nobody = new Roster(20, 1, false, 0, 1, List.of());
        tape.roster(30, 1, nobody);
        flow();
        assertThat(members(here)).isEqualTo(1);
        assertThat(members(sleeper)).isEqualTo(1);
    }

    /** Comes back when the other one has dropped its members. */
    private void pauseUntilForgotten(SimulatedServer sleeper, SimulatedServer other) {
        servers.remove(sleeper);
        pass(Duration.ofSeconds(25));
        assertThat(members(other)).isZero();
        servers.add(sleeper);
    }

    @Test
    void ownPauseTimesOutNoOtherServer() {
        SimulatedServer here = server(10);
        SimulatedServer there = server(20);
        flow();
        there.join(ROOM, ANNA);
        flow();
        servers.remove(here);
        pass(Duration.ofMinutes(1));
        servers.add(here);
        here.tick(); // before it has read anything
        pass(Duration.ofSeconds(20));
        assertThat(here.counters.runsGone.sum()).isZero();
        assertThat(there.counters.corrections.sum()).isZero();
        assertThat(members(here)).isEqualTo(1);
    }

    @Test
    void logOutageTimesOutNoServer() {
        SimulatedServer here = server(10);
        SimulatedServer there = server(20);
        flow();
        there.join(ROOM, ANNA);
        flow();
        pass(Duration.ofSeconds(5));
        servers.forEach(server -> server.writable(false));
        pass(Duration.ofMinutes(2));
        here.writable(true);
        pass(Duration.ofSeconds(9));
        there.writable(true);
        pass(Duration.ofSeconds(30));
        assertThat(there.counters.corrections.sum()).isZero();
        assertThat(members(here)).isEqualTo(1);
    }

    @Test
    void rosterRemovesASessionWithoutALeave() {
        SimulatedServer here = server(10);
        SimulatedServer there = server(20);
        flow();
        Session anna = here.join(ROOM, ANNA);
        here.join(ROOM, ANNA);
        Session bert = here.join(ROOM, BERT);
        flow();
        here.vanish(bert);
        here.vanish(anna);
        pass(Duration.ofSeconds(2));
        assertThat(names(there.presence.page(ROOM, null, 10).roster())).containsExactly("anna");
        assertThat(names(here.presence.page(ROOM, null, 10).roster())).containsExactly("anna");
        assertThat(here.counters.corrections.sum()).isEqualTo(1);
    }

    @Test
    void repeatedCorrectionsAreRateLimited() {
        SimulatedServer here = server(10);
        SimulatedServer there = server(20);
        flow();
        for (int second = 0; second < 120; second++) {
            Session anna = here.join(ROOM, ANNA);
            flow();
            here.vanish(anna);
            pass(Duration.ofSeconds(1));
        }
        assertThat(here.counters.corrections.sum()).isBetween(5L, 15L);
        pass(Duration.ofMinutes(1));
        assertThat(members(there)).isZero();
        // And then the next one is corrected as soon as ever.
        Session bert = here.join(ROOM, BERT);
        flow();
        here.vanish(bert);
        pass(Duration.ofSeconds(2));
        assertThat(members(there)).isZero();
    }

    @Test
    void lostRosterIsPublishedAgain() {
        SimulatedServer here = server(10);
        SimulatedServer there = server(20);
        flow();
        Session anna = here.join(ROOM, ANNA);
        flow();
        here.vanish(anna);
        here.presence.publishDue();
        here.lose();
        pass(Duration.ofSeconds(2));
        assertThat(members(there)).isZero();
        assertThat(members(here)).isZero();
    }

    @Test
    void gapMakesEveryServerPublishItsRoster() {
        SimulatedServer here = server(10);
        SimulatedServer there = server(20);
        flow();
        long before = there.counters.rostersPublished.sum();
        here.presence.entriesMissing();
        pass(Duration.ofSeconds(1));
        assertThat(here.counters.rostersPublished.sum()).isPositive();
        assertThat(there.counters.rostersPublished.sum()).isEqualTo(before + 1);
    }

    @Test
    void smallRoomsReceiveMembersOnlyForChangesWithoutJoinOrLeave() {
        SimulatedServer here = server(10);
        flow();
        pass(Duration.ofSeconds(1));
        Session anna = here.join(ROOM, ANNA);
        here.leave(here.join(ROOM, BERT));
        flow();
        pass(Duration.ofSeconds(2));
        assertThat(here.takeUpdates()).isEmpty();
        here.join(ROOM, ANNA);
        flow();
        pass(Duration.ofSeconds(2));
        assertThat(here.takeUpdates()).containsExactly(new PresenceUpdate(ROOM, 1, List.of(), List.of(), false));
        here.leave(anna);
        flow();
        pass(Duration.ofSeconds(2));
        assertThat(here.takeUpdates()).containsExactly(new PresenceUpdate(ROOM, 1, List.of(ANNA), List.of(), false));
    }

    @Test
    void tooOldRosterIsIgnoredAndCounted() {
        SimulatedServer here = server(10);
        flow();
        tape.hello(20, 1);
        for (int i = 0; i < 70; i++) {
            Member member = new Member("" + (100 + i), "user" + i);
            tape.messages(20, 2 + i, List.of(new Tape.Said(ROOM, member, MessageType.JOIN)));
        }
        tape.roster(20, 80, Roster.of(20, 2, false, List.of(), 4096).getFirst());
        here.readAll();
        assertThat(members(here)).isEqualTo(70);
        assertThat(here.counters.rostersTooOld.sum()).isEqualTo(1);
    }

    @Test
    void largeRoomsReceiveAggregatedMembersAtMostOncePerSecond() {
        SimulatedServer here = server(10);
        flow();
        for (int i = 100; i < 103; i++) here.join(ROOM, new Member("" + i, "user" + i));
        flow();
        assertThat(here.presence.isLarge(ROOM)).isFalse();
        pass(Duration.ofSeconds(2));
        assertThat(here.takeUpdates()).isEmpty();
        Session anna = here.join(ROOM, ANNA);
        flow();
        assertThat(here.presence.isLarge(ROOM)).isTrue();
        pass(Duration.ofMillis(250));
        assertThat(here.takeUpdates()).containsExactly(new PresenceUpdate(ROOM, 4, List.of(ANNA), List.of(), false));
        here.leave(anna);
        here.join(ROOM, BERT);
        here.leave(here.join(ROOM, CARL));
        flow();
        pass(Duration.ofMillis(750));
        assertThat(here.takeUpdates()).isEmpty();
        pass(Duration.ofMillis(250));
        assertThat(here.takeUpdates())
                .containsExactly(new PresenceUpdate(ROOM, 4, List.of(BERT), List.of(ANNA), false));
        for (int i = 200; i < 203; i++) here.join(ROOM, new Member("" + i, "user" + i));
        flow();
        pass(Duration.ofSeconds(1));
        PresenceUpdate many = here.takeUpdates().getFirst();
        assertThat(many.members()).isEqualTo(7);
        assertThat(names(many.joined())).containsExactly("user200", "user201");
        assertThat(many.more()).isTrue();
    }

    @Test
    void welcomeCountsUpToItsOwnJoin() {
        SimulatedServer here = server(10);
        flow();
        here.join(ROOM, ANNA);
        here.join(ROOM, BERT);
        here.join(ROOM, CARL);
        flow();
        assertThat(here.presence.membersAt(ROOM, 0)).isEqualTo(1);
        assertThat(here.presence.membersAt(ROOM, 1)).isEqualTo(2);
        assertThat(here.presence.membersAt(ROOM, 2)).isEqualTo(3);
    }

    @Test
    void pagesAscendByUserIdAsANumber() {
        SimulatedServer here = server(10);
        flow();
        for (String id : List.of("100", "9", "22", "10", "3")) here.join(ROOM, new Member(id, "user" + id));
        flow();
        RosterPage first = here.presence.page(ROOM, null, 2);
        assertThat(names(first.roster())).containsExactly("user3", "user9");
        assertThat(first.next()).isEqualTo("9");
        assertThat(first.members()).isEqualTo(5);
        RosterPage rest = here.presence.page(ROOM, first.next(), 3);
        assertThat(names(rest.roster())).containsExactly("user10", "user22", "user100");
        assertThat(rest.next()).isNull();
        assertThat(here.presence.page(new RoomId("empty"), null, 3)).isEqualTo(new RosterPage(0, List.of(), null));
    }

    @Test
    void membersBeyondTheBoundAreCountedAndAddedLater() {
        PresenceSettings two = new PresenceSettings(3, 2, Duration.ofSeconds(1), 2, Duration.ofMillis(500), 10);
        SimulatedServer here = server(10, two);
        flow();
        Session anna = here.join(ROOM, ANNA);
        here.join(ROOM, BERT);
        here.join(ROOM, CARL);
        flow();
        pass(Duration.ofSeconds(3));
        assertThat(members(here)).isEqualTo(2);
        assertThat(here.counters.beyondBound.sum()).isEqualTo(1);
        assertThat(here.counters.members).hasValue(2);
        here.leave(anna);
        flow();
        pass(Duration.ofSeconds(3));
        assertThat(names(here.presence.page(ROOM, null, 10).roster())).containsExactly("carl", "bert");
    }
}
