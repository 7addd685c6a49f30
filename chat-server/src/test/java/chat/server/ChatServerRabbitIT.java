package chat.server;

import static org.assertj.core.api.Assertions.assertThat;

import chat.nodes.RabbitNode;
import chat.nodes.RabbitSettings;
import chat.testing.Needs;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two servers as in production, on a real broker that loses their connections. */
@Needs("rabbitmq")
class ChatServerRabbitIT {
    @TempDir
    static Path directory;

    private static RabbitNode node;
    private static TestServer here;
    private static TestServer there;

    @BeforeAll
    static void start() {
        node = new RabbitNode(RabbitSettings.in(directory)).start();
        here = TestServer.startOnRabbit(node.uri(), "chat.server.id=here");
        there = TestServer.startOnRabbit(node.uri(), "chat.server.id=there");
    }

    @AfterAll
    static void stop() {
        here.close();
        there.close();
        node.close();
    }

    /** The outcome of each text of one client. */
    private record Outcomes(Set<String> accepted, Set<String> refused) {}

    @Test
    void acceptedMessagesArriveOnceAndInOneOrderWhileConnectionsAreCut() throws Exception {
        List<List<Guest>> rooms = new ArrayList<>();
        for (String room : List.of("red", "blue")) {
            List<Guest> members = new ArrayList<>();
            for (int i = 1; i <= 6; i++)
                members.add(Guest.connect(i % 2 == 0 ? here : there, room, i).joined());
            rooms.add(members);
        }
        List<List<Outcomes>> outcomes = new ArrayList<>();
        try (ExecutorService speakers = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<?> cutting = speakers.submit(() -> {
                for (int i = 0; i < 3; i++) node.ctl("close_all_connections", "test");
            });
            List<List<Future<Outcomes>>> speaking = new ArrayList<>();
            for (List<Guest> members : rooms)
                speaking.add(members.stream()
                        .map(guest -> speakers.submit(() -> speakUntil(cutting, guest)))
                        .toList());
            for (List<Future<Outcomes>> room : speaking) {
                List<Outcomes> done = new ArrayList<>();
                for (Future<Outcomes> one : room) done.add(one.get());
                outcomes.add(done);
            }
            cutting.get();
        }
        for (int i = 0; i < rooms.size(); i++) assertEachGotAllOnceInOneOrder(rooms.get(i), outcomes.get(i));
        rooms.forEach(members -> members.forEach(Guest::close));
    }

    /** Says one thing after the other, each again until it is accepted, but for every third that was refused. */
    private static Outcomes speakUntil(Future<?> end, Guest guest) {
        Set<String> accepted = new HashSet<>();
        Set<String> refused = new HashSet<>();
        int refusals = 0;
        boolean last;
        do {
            last = end.isDone();
            UUID id = UUID.randomUUID();
            while (!guest.says("text", id, refusals)) {
                if (++refusals % 3 == 0) {
                    refused.add(id.toString());
                    break;
                }
            }
            if (!refused.contains(id.toString())) accepted.add(id.toString());
        } while (!last);
        return new Outcomes(accepted, refused);
    }

    private static void assertEachGotAllOnceInOneOrder(List<Guest> members, List<Outcomes> outcomes) {
        Set<String> accepted = new HashSet<>();
        Set<String> refused = new HashSet<>();
        outcomes.forEach(one -> {
            accepted.addAll(one.accepted());
            refused.addAll(one.refused());
        });
        assertThat(accepted).hasSizeGreaterThan(members.size());
        for (Guest guest : members) guest.await("all texts", () -> guest.texts().size() >= accepted.size());
        List<String> order = ids(members.getFirst());
        // As sets: AssertJ would compare each text with each.
        assertThat(order).doesNotHaveDuplicates();
        assertThat(new HashSet<>(order)).isEqualTo(accepted);
        assertThat(order).doesNotContainAnyElementsOf(refused);
        for (Guest guest : members) {
            assertThat(ids(guest)).isEqualTo(order);
            assertThat(guest.frames("GAP")).isEmpty();
            assertThat(guest.isClosed()).isFalse();
        }
    }

    private static List<String> ids(Guest guest) {
        return guest.heard().stream()
                .filter(heard -> heard.text() != null)
                .map(Guest.Heard::id)
                .toList();
    }
}
