package chat.server.room;

import static org.assertj.core.api.Assertions.assertThat;

import chat.protocol.ClientFrame.Since;
import chat.protocol.RoomId;
import java.time.Duration;
import java.util.UUID;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A server stops reading a partition without members, and no member misses a message. */
class GivenUpPartitionTest {
    private static final RoomId ROOM = new RoomId("room");
    private static final Duration GRACE = Duration.ofMinutes(2);

    private final TestServers servers = new TestServers(1);
    private final SteppedClock clock = servers.clock;
    private final BreakableLog log = servers.log;
    private final RoomCounters counters = new RoomCounters();
    private final Rooms here = server("here", GRACE, counters);

    private Rooms server(String id, Duration grace, RoomCounters counters) {
        RoomSettings settings =
                new TestRoomSettings().serverId(id).partitionGrace(grace).settings();
        return servers.start(settings, new NoHistory(), counters);
    }

    @AfterEach
    void close() {
        servers.close();
    }

    private FakeMember member(int user, Since since) {
        return new FakeMember(here, clock, ROOM, user, since);
    }

    private static void leave(FakeMember member) {
        UUID id = member.leave();
        member.await("ACK", () -> member.acks().contains(id.toString()));
    }

    private void awaitGivenUp() {
        clock.step(GRACE);
        Awaitility.await().until(() -> here.partitionsRead() == 0);
    }

    @Test
    void nothingOfItIsReadOrKeptThen() {
        leave(member(1, new Since.Now()).joined());
        assertThat(here.partitionsRead()).isOne();
        awaitGivenUp();

        Awaitility.await().until(() -> log.openTails() == 0);
        assertThat(log.stateListeners()).isZero();
        assertThat(here.available()).isTrue();
        assertThat(here.readLagSeconds(0)).isZero();
        Awaitility.await().until(() -> counters.presence.members.get() == 0);
    }

    @Test
    void membersKeepThePartition() {
        FakeMember anna = member(1, new Since.Now()).joined();
        FakeMember bert = member(2, new Since.Now()).joined();
        leave(bert);
        clock.step(GRACE.multipliedBy(2));
        int tails = log.tails();
        Awaitility.await().during(Duration.ofMillis(600)).until(() -> here.partitionsRead() == 1);
        anna.said("still here");
        assertThat(log.tails()).isEqualTo(tails);
    }

    @Test
    void returningMemberMissesNothing() {
        FakeMember there =
                new FakeMember(server("there", Duration.ZERO, new RoomCounters()), clock, ROOM, 9, new Since.Now());
        there.joined();
        FakeMember anna = member(1, new Since.Now()).joined();
        UUID first = anna.text("a0");
        anna.await("ACK", () -> anna.acks().contains(first.toString()));
        long position = anna.lastPosition();
        leave(anna);
        awaitGivenUp();
        for (int i = 0; i < 5; i++) there.said("t" + i);

        FakeMember again = member(1, new Since.Resume(position)).joined();
        again.said("a1");
        again.text("a0", first);
        again.await("the ACK of what was said before", () -> again.acks().contains(first.toString()));
        there.said("t5");
        again.awaitHeard("t5");
        assertThat(again.heard()).containsExactly("LEAVE 1", "t0", "t1", "t2", "t3", "t4", "JOIN 1", "a1", "t5");
        assertThat(again.frames("WELCOME").getFirst().get("members").asInt()).isEqualTo(2);
        there.awaitHeard("a1");
        assertThat(there.heard()).filteredOn("a0"::equals).hasSize(1);
    }

    /** A member that joins while the partition closes is welcomed and served. */
    @Test
    void joinDuringTheCloseIsAccepted() {
        Rooms hasty = server("hasty", Duration.ofNanos(1), new RoomCounters());
        int visits = 0;
        while (visits < 50 || log.tails() < 10) {
            FakeMember visitor = new FakeMember(hasty, clock, ROOM, 1, new Since.Now()).joined();
            visitor.said("here");
            leave(visitor);
            assertThat(visitor.acks()).hasSize(2);
            assertThat(visitor.refusals()).isEmpty();
            visits++;
        }
    }
}
