package chat.server.presence;

import static org.assertj.core.api.Assertions.assertThat;

import chat.log.LogSettings;
import chat.protocol.Member;
import chat.protocol.RoomId;
import chat.server.presence.SimulatedServer.Session;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Servers on one log start, die, pause and lag; members join, leave, and sometimes vanish without a LEAVE. A minute later,
 * every server knows exactly the current members.
 */
class PresenceModelTest {
    private static final int STEPS = 3000;
    private static final int MAX_SERVERS = 5;
    private static final LogSettings LOG = LogSettings.DEFAULT;
    /** So that rooms are small and large, and rosters take several parts. */
    private static final PresenceSettings SETTINGS =
            new PresenceSettings(4, 2, Duration.ofSeconds(1), 100_000, Duration.ofMillis(500), 10);

    private static final LogSettings SMALL_ENTRIES = new LogSettings(
            LOG.unconfirmed(),
            LOG.linger(),
            1024,
            LOG.maxEntryMessages(),
            LOG.heartbeat(),
            LOG.silence(),
            LOG.overdue(),
            LOG.memory(),
            LOG.reconnect());

    private final List<RoomId> rooms = List.of(new RoomId("a"), new RoomId("b"), new RoomId("c"));
    private final List<SimulatedServer> alive = new ArrayList<>();
    private final Set<SimulatedServer> paused = new HashSet<>();
    /** When the entries of the tape were written. */
    private final List<Long> times = new ArrayList<>();

    private long nanos;
    private long runs = 100;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
    void everyServerKnowsAllMembersAfterAMinute(long seed) {
        Random random = new Random(seed);
        try (Tape tape = new Tape()) {
            begin(tape);
            for (int i = 0; i < STEPS; i++) {
                step(random, tape);
                note(tape);
            }
            settle(tape);
            assertThat(tape.size()).isGreaterThan(STEPS / 30);
            assertEverybodyKnows("seed " + seed);
        }
    }

    @Test
    void serversThatReadTheSameLogKnowTheSameMembers() {
        Random random = new Random(99);
        try (Tape tape = new Tape()) {
            SimulatedServer first = begin(tape);
            SimulatedServer second = begin(tape);
            for (int i = 0; i < STEPS; i++) {
                step(random, tape);
                note(tape);
                if (first.read() != second.read() || !alive.contains(first) || !alive.contains(second)) continue;
                for (RoomId room : rooms)
                    assertThat(first.presence.members(room)).isEqualTo(second.presence.members(room));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void rosterOnlyKnowledgeSurvivesAPause(long seed) {
        Random random = new Random(seed);
        try (Tape tape = new Tape()) {
            SimulatedServer sleeper = begin(tape);
            for (int i = 0; i < STEPS; i++) {
                step(random, tape);
                if (!alive.contains(sleeper)) alive.add(sleeper);
                note(tape);
            }
            settle(tape);
            alive.retainAll(Set.of(sleeper));
            visitOften(sleeper);
            passQuietly(tape, LOG.memory().plusSeconds(1));
            begin(tape);
            passQuietly(tape, LOG.heartbeat());
            assertThat(sleeper.there()).isNotEmpty();
            assertEverybodyKnows("seed " + seed);
            paused.add(sleeper);
            passQuietly(tape, LOG.silence().multipliedBy(2));
            settle(tape);
            assertEverybodyKnows("after a pause, seed " + seed);
        }
    }

    private void note(Tape tape) {
        while (times.size() < tape.size()) times.add(nanos);
    }

    private SimulatedServer begin(Tape tape) {
        int from = 0;
        while (from < times.size() && times.get(from) < nanos - LOG.memory().toNanos()) from++;
        SimulatedServer server = new SimulatedServer(++runs, tape, from, SMALL_ENTRIES, SETTINGS, () -> nanos);
        alive.add(server);
        return server;
    }

    private void step(Random random, Tape tape) {
        SimulatedServer server = alive.get(random.nextInt(alive.size()));
        boolean awake = !paused.contains(server);
        switch (random.nextInt(100)) {
            case 0 -> {
                if (alive.size() < MAX_SERVERS) begin(tape);
            }
            case 1 -> {
                // Something of what it wrote at the end is never seen.
                if (alive.size() > 1 && random.nextInt(3) == 0) {
                    alive.remove(server);
                    paused.remove(server);
                }
            }
            case 2 -> paused.add(server);
            case 3, 4, 5 -> paused.clear();
            case 6 -> {
                if (awake) some(random, server).ifPresent(server::vanish);
            }
            case 7 -> {
                if (awake) some(random, server).ifPresent(server::leaveOfNobody);
            }
            case 8, 9 -> server.lose();
            case 10 -> server.writable(random.nextBoolean());
            case 11, 12, 13, 14, 15, 16, 17, 18, 19, 20 -> {
                nanos += random.nextLong(Duration.ofMillis(500).toNanos());
                for (SimulatedServer one : alive) if (!paused.contains(one)) one.tick();
            }
            default -> {
                if (awake) live(random, server);
                if (server.hasOnItsWay() && random.nextBoolean()) server.arrive();
            }
        }
    }

    /** So that it remembers nothing any more of how its other members came. */
    private void visitOften(SimulatedServer server) {
        for (int i = 0; i < 100; i++) {
            Session visitor = server.join(rooms.getFirst(), new Member("61", "user61"));
            server.write();
            server.leave(visitor);
            server.write();
            while (server.hasOnItsWay()) server.arrive();
            server.readAll();
        }
    }

    /** No server publishes anything. */
    private void passQuietly(Tape tape, Duration time) {
        for (long left = time.toMillis(); left > 0; left -= 500) {
            nanos += Duration.ofMillis(500).toNanos();
            for (SimulatedServer server : alive) {
                if (paused.contains(server)) continue;
                server.tick();
                while (server.hasOnItsWay()) server.arrive();
                server.readAll();
            }
            note(tape);
        }
    }

    private void live(Random random, SimulatedServer server) {
        switch (random.nextInt(8)) {
            case 0, 1 -> {
                int user = 1 + random.nextInt(60);
                server.join(rooms.get(random.nextInt(rooms.size())), new Member(Integer.toString(user), "user" + user));
            }
            case 2 -> some(random, server).ifPresent(server::leave);
            case 3 -> server.write();
            default -> {
                for (int i = random.nextInt(6); i >= 0 && server.hasUnread(); i--) server.readOne();
            }
        }
    }

    private static java.util.Optional<Session> some(Random random, SimulatedServer server) {
        List<Session> there = server.there().stream().filter(Session::canLeave).toList();
        return there.isEmpty()
                ? java.util.Optional.empty()
                : java.util.Optional.of(there.get(random.nextInt(there.size())));
    }

    private void settle(Tape tape) {
        paused.clear();
        for (SimulatedServer server : alive) server.writable(true);
        for (int i = 0; i < 240; i++) {
            nanos += Duration.ofMillis(250).toNanos();
            for (SimulatedServer server : alive) {
                server.write();
                while (server.hasOnItsWay()) server.arrive();
            }
            note(tape);
            for (SimulatedServer server : alive) server.readAll();
            for (SimulatedServer server : alive) server.tick();
        }
        for (SimulatedServer server : alive) {
            assertThat(server.hasUnwritten()).isFalse();
            assertThat(server.presence.isReady()).isTrue();
        }
    }

    private void assertEverybodyKnows(String when) {
        for (RoomId room : rooms) {
            Set<String> there = new TreeSet<>();
            for (SimulatedServer server : alive)
                for (Session session : server.there())
                    if (session.room.equals(room)) there.add(session.member.userId());
            for (SimulatedServer server : alive) {
                assertThat(server.presence.page(room, null, 1000).roster())
                        .as("%s, room %s, server %d of %d", when, room, server.run, alive.size())
                        .extracting(Member::userId)
                        .containsExactlyInAnyOrderElementsOf(there);
                assertThat(server.presence.members(room)).isEqualTo(there.size());
            }
        }
    }
}
