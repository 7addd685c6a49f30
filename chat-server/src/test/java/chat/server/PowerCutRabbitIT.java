package chat.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import chat.log.rabbit.RabbitLogSettings;
import chat.log.rabbit.RabbitRoomLog;
import chat.nodes.Ports;
import chat.nodes.RabbitNode;
import chat.nodes.RabbitSettings;
import chat.protocol.RoomId;
import chat.server.room.FakeConsumer;
import chat.testing.Needs;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Broker and servers lose power together, and the broker comes back without the end of its streams. */
@Needs("rabbitmq")
class PowerCutRabbitIT {
    private static final String ROOM = "cut";

    @TempDir
    Path directory;

    @Test
    void powerCutReusesNoPositionAndAffectedMembersReceiveAGap() throws Exception {
        try (RabbitNode node = new RabbitNode(RabbitSettings.in(directory.resolve("node"))).start()) {
            long kept;
            long lost;
            try (TestServer before = server(node)) {
                Guest anna = Guest.connect(before, ROOM, 1).joined();
                anna.awaitAck(anna.text("kept"));
                kept = anna.position();
                node.stop();
                copy(data(), directory.resolve("copy"));
                node.start();
                await().atMost(Duration.ofMinutes(2))
                        .until(() -> anna.says(
                                "first lost",
                                UUID.randomUUID(),
                                anna.frames("ERROR").size()));
                for (int i = 0; i < 20; i++) anna.awaitAck(anna.text("lost " + i));
                lost = anna.position();
                node.kill();
                before.die();
                anna.close();
            }
            copy(directory.resolve("copy"), data());
            node.start();

            try (TestServer after = server(node);
                    Guest bert = Guest.connect(after, ROOM, 3).resume(kept);
                    Guest knows = Guest.connect(after, ROOM, 4).resume(lost)) {
                for (int i = 0; i < 30; i++) bert.awaitAck(bert.text("new " + i)); // beyond what is lost
                knows.awaitText("new 29");
                bert.await("gap", () -> !bert.frames("GAP").isEmpty());
                assertThat(bert.heard()).allMatch(heard -> heard.position() > lost);
                assertThat(knows.heard()).allMatch(heard -> heard.position() > lost);
                for (Guest each : List.of(bert, knows)) {
                    assertThat(number(each.frames("GAP").getFirst(), "from")).isBetween(kept, lost);
                    assertThat(number(each.frames("GAP").getFirst(), "to")).isGreaterThan(lost);
                }
                Guest elsewhere = Guest.connect(after, other(), 5).joined();
                try (RabbitRoomLog log = log(node, RabbitRoomLog.Access.READ_AND_WRITE);
                        FakeConsumer consumer = new FakeConsumer(log, new RoomId(ROOM).partition(4))) {
                    consumer.stored(lost);
                    elsewhere.await("gap", () -> !elsewhere.frames("GAP").isEmpty());
                }
                elsewhere.close();
            }
        }
    }

    /** Another room of the partition. */
    private static String other() {
        return Stream.iterate(0, i -> i + 1)
                .map(i -> "other" + i)
                .filter(room -> new RoomId(room).partition(4) == new RoomId(ROOM).partition(4))
                .findFirst()
                .orElseThrow();
    }

    private static long number(JsonNode frame, String field) {
        return Long.parseLong(frame.get(field).asString());
    }

    private static TestServer server(RabbitNode node) {
        return TestServer.startOnRabbit(
                node.uri(), "chat.server.id=cut", "chat.server.history.url=http://127.0.0.1:" + Ports.free());
    }

    private static RabbitRoomLog log(RabbitNode node, RabbitRoomLog.Access access) {
        return new RabbitRoomLog(
                new RabbitLogSettings(URI.create(node.uri()), 4, "chat", 16, Duration.ofSeconds(5)),
                "consumer",
                access);
    }

    private Path data() {
        return directory.resolve("node").resolve("mnesia");
    }

    private static void copy(Path from, Path to) throws IOException {
        if (Files.exists(to)) {
            try (Stream<Path> all = Files.walk(to)) {
                for (Path path : all.sorted(Comparator.reverseOrder()).toList()) Files.delete(path);
            }
        }
        try (Stream<Path> all = Files.walk(from)) {
            for (Path path : all.toList()) Files.copy(path, to.resolve(from.relativize(path)));
        }
    }
}
