package chat.server.room;

import static org.assertj.core.api.Assertions.assertThat;

import chat.protocol.ClientFrame.Since;
import chat.protocol.CloseCode;
import chat.protocol.RoomId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sockets that catch up in many rooms cost a bounded number of bytes, and do not delay others. */
class CatchUpCostTest {
    private static final int ROOMS = 128;
    private static final int READS = 8;
    private static final long MEMORY = 8 << 20;
    private static final Since ALL = new Since.Resume(0);

    private final TestServers servers = new TestServers(1);
    private final RoomCounters counters = new RoomCounters();
    private final HeldHistory history = new HeldHistory(500, 1_000);

    private Rooms server(long userBytesPerSecond) {
        RoomSettings settings = new TestRoomSettings()
                .history(500, Duration.ofMinutes(5))
                .catchUp(new CatchUpSettings(MEMORY, READS, userBytesPerSecond))
                .settings();
        return servers.start(settings, history, counters);
    }

    private FakeMember socket(Rooms rooms, int user) {
        return new FakeMember(rooms, servers.clock, room(user, 0), user, ALL);
    }

    private static RoomId room(int user, int number) {
        return new RoomId("room-" + user + "-" + number);
    }

    private static int user(RoomId room) {
        return Integer.parseInt(
                room.value().substring("room-".length(), room.value().lastIndexOf('-')));
    }

    /** Joins as many rooms as a session may, all with their whole past. */
    private FakeMember joinsMany(Rooms rooms, int user) {
        FakeMember socket = socket(rooms, user).joinWhenThereIsRoom();
        for (int i = 1; i < ROOMS; i++) socket.joinAlso(room(user, i), ALL);
        return socket;
    }

    @AfterEach
    void close() {
        servers.close();
    }

    @Test
    void socketInManyRoomsRequestsOnePageAtATime() {
        FakeMember greedy = joinsMany(server(0), 1);
        for (int page = 1; page <= ROOMS; page++) {
            greedy.await("a question", () -> history.open().size() == 1);
            assertThat(history.asked()).hasSize(page);
            assertThat(counters.catchUpBytes.sum()).isLessThanOrEqualTo(MEMORY / 4);
            history.answer(history.open().getFirst());
        }
        greedy.await(
                "all messages",
                () -> greedy.heard().stream()
                                .filter(message -> message.startsWith("JOIN"))
                                .count()
                        == ROOMS);
        greedy.await("nothing held", () -> counters.catchUpBytes.sum() == 0);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 12, 100})
    void stalledSocketsHoldBoundedBytesWithoutDelayingOthers(int sockets) {
        Rooms rooms = server(0);
        List<FakeMember> slow = new ArrayList<>();
        for (int user = 1; user <= sockets; user++) slow.add(joinsMany(rooms, user));
        // Each gets a page and does not take it.
        FakeMember first = slow.getFirst();
        List<RoomId> answered = new ArrayList<>();
        first.await("a page for every socket, or all memory taken", () -> {
            for (HeldHistory.Question question : history.open()) {
                int user = user(question.room());
                slow.get(user - 1).keepsUp(false);
                answered.add(question.room());
                history.answer(question);
            }
            assertThat(counters.catchUpBytes.sum()).isLessThanOrEqualTo(MEMORY);
            return answered.size() >= sockets && history.open().isEmpty();
        });
        long most = Math.min(MEMORY, sockets * history.pageBytes());
        first.await("nothing but pages", () -> counters.catchUpBytes.sum() <= most);

        FakeMember bystander = socket(rooms, 9_999).joinWhenThereIsRoom();
        bystander.await(
                "the bystander's question",
                () -> history.open().stream()
                        .anyMatch(question -> question.room().equals(room(9_999, 0))));
        history.open().stream()
                .filter(question -> question.room().equals(room(9_999, 0)))
                .forEach(history::answer);
        bystander.awaitHeard("JOIN 9999");
        assertThat(counters.catchUpBytes.sum()).isLessThanOrEqualTo(MEMORY);

        slow.forEach(socket -> socket.close(CloseCode.SLOW));
        first.await("nothing held", () -> counters.catchUpBytes.sum() == 0 && counters.catchUpWaiting.sum() == 0);
    }

    @Test
    void repeatedResumesShareFairlyWithOthers() {
        Rooms rooms = server(0);
        List<FakeMember> greedy = IntStream.range(0, 8)
                .mapToObj(i -> new FakeMember(rooms, servers.clock, room(1, 1_000 + i), 1, ALL).join())
                .toList();
        for (FakeMember socket : greedy) for (int i = 1; i < ROOMS; i++) socket.joinAlso(room(1, i), ALL);
        FakeMember first = greedy.getFirst();
        first.await("the share of one user", () -> history.open().size() == READS / 4);
        FakeMember bystander = socket(rooms, 2);
        bystander.join();
        // Not one page of the greedy user is answered before.
        bystander.await("the bystander's question", () -> history.asked().contains(room(2, 0)));
        assertThat(history.asked()).hasSize(READS / 4 + 1);
        history.answer(history.open().getLast());
        bystander.awaitHeard("JOIN 2");
    }

    @Test
    void userBeyondItsBudgetIsDelayedThenServed() {
        long perSecond = 16 << 10;
        Rooms rooms = server(perSecond);
        FakeMember greedy = joinsMany(rooms, 1);
        greedy.await("a question", () -> history.open().size() == 1);
        history.answer(history.open().getFirst());
        greedy.await("a delay", () -> counters.catchUpDelayed.sum() > 0);
        FakeMember bystander = socket(rooms, 2);
        bystander.join();
        bystander.await("the bystander's question", () -> history.asked().contains(room(2, 0)));
        assertThat(history.asked()).hasSize(2);
        servers.clock.step(Duration.ofMinutes(1));
        greedy.await("the next question", () -> history.asked().contains(room(1, 1)));
    }
}
