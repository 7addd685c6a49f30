package chat.server.room;

import static org.assertj.core.api.Assertions.assertThat;

import chat.log.EntryKind;
import chat.log.InMemoryRoomLog;
import chat.log.LogCounters;
import chat.log.LogEntry;
import chat.log.LogSettings;
import chat.log.LogUnavailable;
import chat.log.MalformedEntry;
import chat.log.RoomLog;
import chat.log.Segment;
import chat.protocol.ClientFrame.Since;
import chat.protocol.MessageType;
import chat.protocol.RoomId;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

/**
 * Sessions of eight threads join the same rooms, send, leave and end concurrently. The log has the order of their actions:
 * rooms, counters, presence and the received messages must follow from it.
 */
class RoomsModelTest {
    private static final int THREADS = 8;
    private static final int STEPS = 150;
    private static final int PARTITIONS = 3;
    private static final int ROOMS = 5;
    /** Few, so that one user often has several sessions in a room. */
    private static final int USERS = 12;

    private static final int LAST = 1000;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final InMemoryRoomLog log = new InMemoryRoomLog(PARTITIONS, 16 << 20, Clock.systemUTC());
    private final RoomCounters counters = new RoomCounters();
    private final Rooms rooms = TestRooms.of(
            log,
            new TestRoomSettings().recentMessages(3000).settings(),
            LogSettings.DEFAULT,
            Clock.systemUTC(),
            new NoHistory(),
            new LogCounters(),
            counters);
    private final Map<RoomId, List<Said>> said = new ConcurrentHashMap<>();

    /** A message in the log. */
    private record Said(String id, MessageType type, String user) {}

    /** One session in one room, and what it did. */
    private static final class Stay {
        final FakeMember member;
        final String join;
        final List<String> texts = new ArrayList<>();

        @Nullable
        String leave;

        boolean ended;

        Stay(FakeMember member, String join) {
            this.member = member;
            this.join = join;
        }

        RoomId room() {
            return member.membership().room();
        }

        boolean isThere() {
            return leave == null && !ended;
        }
    }

    @AfterEach
    void close() {
        rooms.close();
        log.close();
    }

    private static RoomId room(int number) {
        return new RoomId("room" + number);
    }

    /** The last one is another each time: with the seed of a failure in its place it is tried again. */
    static LongStream seeds() {
        return LongStream.of(1, 2, System.nanoTime());
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void randomSessionsSeeTheSameMessages(long seed) throws Exception {
        try {
            doAtOnce(seed);
        } catch (AssertionError | ConditionTimeoutException failure) {
            throw new AssertionError("seed " + seed, failure);
        }
    }

    private void doAtOnce(long seed) throws Exception {
        List<Stay> stays = new ArrayList<>();
        CyclicBarrier together = new CyclicBarrier(THREADS);
        try (ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
            List<Future<List<Stay>>> doing = new ArrayList<>();
            for (int thread = 0; thread < THREADS; thread++) {
                Random random = new Random(seed * THREADS + thread);
                doing.add(threads.submit(() -> {
                    together.await(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                    return new Sessions(random).run();
                }));
            }
            for (Future<List<Stay>> one : doing) stays.addAll(one.get(PATIENCE.toSeconds(), TimeUnit.SECONDS));
        }
        for (int i = 0; i < ROOMS; i++) {
            Stay last = join(room(i), LAST);
            last.member.await("WELCOME", () -> !last.member.frames("WELCOME").isEmpty());
            stays.add(last);
        }
        awaitAllIsWritten(stays);
        for (int i = 0; i < ROOMS; i++) assertRoom(room(i), stays);
        long there = stays.stream().filter(Stay::isThere).count();
        assertThat(counters.memberships.sum()).isEqualTo(there);
        assertThat(counters.presence.members)
                .hasValue(said.keySet().stream()
                        .mapToInt(room -> users(room, stays).size())
                        .sum());
        assertThat(rooms.drain(PATIENCE)).as("no LEAVE is owed").isTrue();
    }

    /** The actions of one thread; its sessions are independent of others. */
    private final class Sessions {
        private final Random random;
        private final List<Stay> all = new ArrayList<>();

        Sessions(Random random) {
            this.random = random;
        }

        List<Stay> run() {
            List<Stay> there = new ArrayList<>();
            for (int step = 0; step < STEPS; step++) {
                int what = random.nextInt(10);
                if (there.size() < 3 || what < 3) {
                    Stay stay = join(room(random.nextInt(ROOMS)), random.nextInt(USERS));
                    all.add(stay);
                    there.add(stay);
                    continue;
                }
                int which = random.nextInt(there.size());
                Stay stay = there.get(which);
                switch (what) {
                    case 3, 4 -> {
                        stay.leave = stay.member.leave().toString();
                        there.remove(which);
                    }
                    case 5 -> {
                        end(stay, () -> stay.member.leave());
                        there.remove(which);
                    }
                    case 6 -> {
                        end(stay, stay.member::leaveLater);
                        there.remove(which);
                    }
                    default -> stay.texts.add(stay.member.text("t" + step).toString());
                }
            }
            return all;
        }

        /** As a session does whose socket is closed: its LEAVE waits for what becomes of its JOIN. */
        private void end(Stay stay, Runnable leave) {
            stay.ended = true;
            Membership membership = stay.member.membership();
            rooms.departing(membership);
            if (!membership.whenDecided(leave)) leave.run();
        }
    }

    private Stay join(RoomId room, int user) {
        FakeMember member = new FakeMember(rooms, Clock.systemUTC(), room, user, new Since.Now());
        UUID id = UUID.randomUUID();
        member.join(id);
        return new Stay(member, id.toString());
    }

    /** Each JOIN, each TEXT, and the LEAVE of everyone who has left or whose session has ended. */
    private void awaitAllIsWritten(List<Stay> stays) {
        int messages = stays.stream()
                .mapToInt(stay -> 1 + stay.texts.size() + (stay.isThere() ? 0 : 1))
                .sum();
        List<RoomLog.Tail> tails = new ArrayList<>();
        for (int partition = 0; partition < PARTITIONS; partition++)
            tails.add(log.tail(partition, new RoomLog.Start.First(), new Reading()));
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> said.values().stream().mapToInt(List::size).sum() >= messages);
        // Entries may still be on their way to the rooms.
        Awaitility.await().atMost(PATIENCE).until(() -> rooms.drain(PATIENCE));
        tails.forEach(RoomLog.Tail::close);
        assertThat(said.values().stream().mapToInt(List::size).sum()).isEqualTo(messages);
    }

    private final class Reading implements RoomLog.TailHandler {
        @Override
        public void entry(long offset, byte[] bytes) {
            try {
                LogEntry entry = LogEntry.parse(bytes, 0, offset);
                if (entry.header().kind() != EntryKind.MESSAGES) return;
                for (Segment segment : entry.segments()) {
                    List<Said> inRoom = said.computeIfAbsent(segment.room(), unused -> new CopyOnWriteArrayList<>());
                    for (int i = 0; i < segment.size(); i++)
                        inRoom.add(new Said(segment.messageId(i).toString(), segment.type(i), segment.userId(i)));
                }
            } catch (MalformedEntry bug) {
                throw new AssertionError(bug);
            }
        }

        @Override
        public void ended(LogUnavailable cause) {}
    }

    /** The users at the end, each once. */
    private static Set<String> users(RoomId room, List<Stay> stays) {
        Set<String> users = new HashSet<>();
        for (Stay stay : stays)
            if (stay.room().equals(room) && stay.isThere())
                users.add(stay.member.membership().member().userId());
        return users;
    }

    private void assertRoom(RoomId room, List<Stay> all) {
        List<Stay> stays = all.stream().filter(stay -> stay.room().equals(room)).toList();
        List<Said> order = said.getOrDefault(room, List.of());
        List<String> ids = order.stream().map(Said::id).toList();
        assertThat(ids).doesNotHaveDuplicates();
        Map<String, Integer> membersAt = membersAt(order);
        for (Stay stay : stays) {
            FakeMember member = stay.member;
            assertThat(member.closed()).isNull();
            assertThat(member.refusals()).isEmpty();
            assertThat(member.frames("GAP")).isEmpty();
            int from = ids.indexOf(stay.join);
            // An ended session receives frames until the room has read its LEAVE.
            int to = stay.leave != null
                    ? ids.indexOf(stay.leave) + 1
                    : stay.ended ? from + heard(stay).size() : ids.size();
            if (heard(stay).size() < to - from)
                member.await("all of it", () -> heard(stay).size() >= to - from);
            assertThat(heard(stay)).as("messages of %s", stay.join).isEqualTo(ids.subList(from, to));
            if (stay.isThere() || stay.leave != null) {
                assertThat(member.frames("WELCOME")).hasSize(1);
                assertThat(member.acks()).containsAll(stay.texts).doesNotHaveDuplicates();
            }
            for (JsonNode welcome : member.frames("WELCOME"))
                assertThat(welcome.get("members").asInt())
                        .as("members that %s was welcomed by", stay.join)
                        .isEqualTo(membersAt.get(stay.join));
        }
        Stay last = stays.getLast();
        rooms.roster(last.member.membership(), null, 1000, unused -> {});
        last.member.await("roster", () -> roster(last.member) != null);
        JsonNode roster = Objects.requireNonNull(roster(last.member));
        assertThat(roster.get("roster")
                        .valueStream()
                        .map(one -> one.get("userId").asString()))
                .containsExactlyInAnyOrderElementsOf(users(room, all));
        assertThat(roster.get("members").asInt()).isEqualTo(users(room, all).size());
        for (Stay stay : stays)
            if (stay.isThere() && !knowsWhoIsThere(stay, users(room, all)))
                stay.member.await("true news of the members", () -> knowsWhoIsThere(stay, users(room, all)));
    }

    /**
     * A MEMBERS frame, up to a second later, corrects the LEAVE of one of several sessions of a user.
     *
     * @return whether the latest frames about each user match the members
     */
    private static boolean knowsWhoIsThere(Stay stay, Set<String> users) {
        Map<String, Boolean> told = new HashMap<>();
        for (JsonNode frame : stay.member.frames()) {
            for (JsonNode message : frame.path("messages")) {
                String type = message.get("messageType").asString();
                if (!type.equals("TEXT")) told.put(message.get("userId").asString(), type.equals("JOIN"));
            }
            frame.path("joined").forEach(user -> told.put(user.get("userId").asString(), true));
            frame.path("left").forEach(user -> told.put(user.get("userId").asString(), false));
        }
        return told.entrySet().stream().allMatch(user -> users.contains(user.getKey()) == user.getValue());
    }

    private static @Nullable JsonNode roster(FakeMember member) {
        return member.frames("MEMBERS").stream()
                .filter(frame -> frame.has("roster"))
                .findFirst()
                .orElse(null);
    }

    private static List<String> heard(Stay stay) {
        List<String> ids = new ArrayList<>();
        for (JsonNode frame : stay.member.frames("MESSAGES"))
            frame.get("messages")
                    .forEach(message -> ids.add(message.get("messageId").asString()));
        return ids;
    }

    /** How many users are there after each JOIN, by its id. */
    private static Map<String, Integer> membersAt(List<Said> order) {
        Map<String, Integer> sessions = new HashMap<>();
        Map<String, Integer> members = new HashMap<>();
        for (Said one : order) {
            if (one.type() == MessageType.JOIN) {
                sessions.merge(one.user(), 1, Integer::sum);
                members.put(one.id(), sessions.size());
            }
            if (one.type() == MessageType.LEAVE)
                sessions.computeIfPresent(one.user(), (user, count) -> count == 1 ? null : count - 1);
        }
        return members;
    }
}
