package chat.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import chat.kit.identity.Claims;
import chat.nodes.PostgresNode;
import chat.nodes.PostgresSettings;
import chat.nodes.RabbitNode;
import chat.nodes.RabbitSettings;
import chat.persistence.PersistenceConsumer;
import chat.protocol.RoomId;
import chat.server.ChatServerApplication;
import chat.testing.Needs;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import tools.jackson.databind.JsonNode;

/** Attackers immediately reuse each message id that they see, on a real RabbitMQ and a real PostgreSQL. */
@Needs("rabbitmq")
class CopiedIdsIT {
    private static final Duration PATIENCE = Duration.ofMinutes(4);
    private static final int PARTITIONS = 4;
    private static final int UNDER_WAY = 100;

    @TempDir
    static Path directory;

    private static RabbitNode rabbit;
    private static PostgresNode postgres;

    private final List<ConfigurableApplicationContext> programs = new ArrayList<>();

    @BeforeAll
    static void begin() {
        rabbit = new RabbitNode(RabbitSettings.in(directory)).start();
        postgres = new PostgresNode(PostgresSettings.inTemporaryDirectory()).start();
    }

    @AfterAll
    static void end() {
        postgres.close();
        rabbit.close();
    }

    private int start(Map<String, String> identity) {
        List<String> all = new ArrayList<>(List.of(
                "--server.port=0",
                "--server.address=127.0.0.1",
                "--management.server.port=0",
                "--chat.rabbitmq.uri=" + rabbit.uri(),
                "--chat.rabbitmq.partitions=" + PARTITIONS,
                "--chat.server.guard.loop-delay.high=0",
                // On a busy machine the attackers read slowly, and none may be closed for it.
                "--chat.server.socket.outbox=16MB",
                "--chat.postgres.url=" + postgres.jdbcUrl(),
                "--chat.postgres.user=" + postgres.user(),
                "--chat.postgres.password=" + postgres.password()));
        identity.forEach((name, value) -> all.add("--" + name + "=" + value));
        ConfigurableApplicationContext server = new SpringApplicationBuilder(ChatServerApplication.class)
                .properties("spring.config.name=chat-server")
                .run(all.toArray(String[]::new));
        programs.add(server);
        programs.add(new SpringApplicationBuilder(PersistenceConsumer.class)
                .properties("spring.config.name=persistence-consumer")
                .run(all.toArray(String[]::new)));
        return server.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
    }

    private void stop() {
        programs.forEach(ConfigurableApplicationContext::close);
    }

    private static RoomSocket guest(
            int port, int user, String room, @Nullable LocalIdentity identity, Consumer<JsonNode> listener) {
        List<String> all = List.of("*");
        String token = identity == null
                ? null
                : identity.token(
                        Claims.local(Integer.toString(user), null, "user" + user, all, all, List.of()),
                        Duration.ofHours(1));
        return new RoomSocket(port, user, room, token, listener);
    }

    private static String id() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        long high = System.currentTimeMillis() << 16 | 0x7000 | (random.nextInt() & 0xfff);
        return new UUID(high, Long.MIN_VALUE | random.nextLong() >>> 2).toString();
    }

    private static List<String> roomsOfOtherPartitions(String room, String attacker) {
        Set<Integer> partitions = new HashSet<>(Set.of(new RoomId(room).partition(PARTITIONS)));
        return Stream.iterate(0, i -> i + 1)
                .map(i -> attacker + "-" + i)
                .filter(name -> partitions.add(new RoomId(name).partition(PARTITIONS)))
                .limit(PARTITIONS - 1L)
                .toList();
    }

    /** Room, id and text. */
    private static Set<String> rowsOf(int user) throws Exception {
        try (Connection connection =
                        DriverManager.getConnection(postgres.jdbcUrl(), postgres.user(), postgres.password());
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT room_id || ' ' || message_id || ' ' || content"
                        + " FROM messages JOIN rooms USING (room) JOIN users USING (usr)"
                        + " WHERE message_type = 'TEXT' AND user_id = '" + user + "'")) {
            Set<String> found = new HashSet<>();
            while (rows.next()) found.add(rows.getString(1));
            return found;
        }
    }

    private RoomSocket attacker(int port, int user, String room, @Nullable LocalIdentity identity) {
        List<String> own = roomsOfOtherPartitions(room, room + "-attacker" + user);
        CompletableFuture<RoomSocket> self = new CompletableFuture<>();
        RoomSocket attacker = guest(port, user, room, identity, frame -> {
            if (!frame.get("type").stringValue().equals("MESSAGES")
                    || !frame.get("roomId").stringValue().equals(room)) return;
            for (JsonNode message : frame.get("messages")) {
                if (!message.get("messageType").stringValue().equals("TEXT")
                        || message.get("userId").stringValue().equals(Integer.toString(user))) continue;
                String id = message.get("messageId").stringValue();
                for (String elsewhere : own) self.join().text(elsewhere, id, "stolen");
                self.join().text(room, id, "stolen");
            }
        });
        self.complete(attacker);
        own.forEach(attacker::join);
        return attacker.join(room);
    }

    private void attack(String room, int user, int texts, int attackers, @Nullable LocalIdentity identity, int port)
            throws Exception {
        RoomSocket victim = guest(port, user, room, identity, frame -> {}).join(room);
        List<RoomSocket> attacking = new ArrayList<>();
        for (int i = 1; i <= attackers; i++) attacking.add(attacker(port, user + i, room, identity));
        Set<String> said = new HashSet<>();
        for (int i = 0; i < texts; i++) {
            String id = id();
            said.add(room + " " + id);
            victim.text(room, id, "mine " + i);
            int ahead = said.size() - UNDER_WAY;
            if (victim.acknowledged.size() < ahead)
                await().pollDelay(Duration.ZERO)
                        .pollInterval(Duration.ofMillis(5))
                        .atMost(PATIENCE)
                        .until(() -> victim.acknowledged.size() >= ahead);
        }
        await().atMost(PATIENCE).until(() -> victim.acknowledged.size() == texts);
        assertThat(victim.acknowledged).isEqualTo(said);
        await().atMost(PATIENCE).until(() -> victim.storedThrough >= victim.lastPosition);
        assertThat(victim.errors).isEmpty();
        assertThat(victim.notStored).isEmpty();
        Set<String> rows = rowsOf(user);
        assertThat(rows).hasSize(texts).allMatch(row -> row.contains(" mine "));
        for (RoomSocket attacker : attacking) {
            await().atMost(PATIENCE)
                    .until(() -> attacker.acknowledged.size() + attacker.errors.size() >= texts * PARTITIONS);
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(rowsOf(attacker.user())).hasSameSizeAs(attacker.acknowledged));
            assertThat(attacker.errors).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({"300, 1", "3000, 3"})
    void copiedIdsDoNotSuppressMessagesWithoutTokens(int texts, int attackers) throws Exception {
        try {
            attack(
                    "open-" + attackers,
                    1000 * attackers,
                    texts,
                    attackers,
                    null,
                    start(Map.of("chat.identity.mode", "open")));
        } finally {
            stop();
        }
    }

    @Test
    void copiedIdsDoNotSuppressMessagesWithTokens() throws Exception {
        LocalIdentity identity = new LocalIdentity(directory);
        try {
            attack("tokens", 5000, 300, 1, identity, start(identity.prepare()));
        } finally {
            stop();
        }
    }

    /** An attacker uses ids first in its own room, then in a room of others: all messages are stored. */
    @Test
    void deliveredMessagesAreInTheHistory() throws Exception {
        try {
            int port = start(Map.of("chat.identity.mode", "open"));
            Set<String> heard = ConcurrentHashMap.newKeySet();
            RoomSocket listener = guest(port, 7001, "public", null, frame -> {
                        if (!frame.get("type").stringValue().equals("MESSAGES")) return;
                        for (JsonNode message : frame.get("messages"))
                            if (message.get("userId").stringValue().equals("7002")
                                    && message.get("messageType").stringValue().equals("TEXT"))
                                heard.add("public " + message.get("messageId").stringValue() + " "
                                        + message.get("message").stringValue());
                    })
                    .join("public");
            String own = roomsOfOtherPartitions("public", "own").getFirst();
            RoomSocket attacker =
                    guest(port, 7002, own, null, frame -> {}).join(own).join("public");
            int ghosts = 500;
            for (int i = 0; i < ghosts; i++) {
                String id = id();
                attacker.text(own, id, "first " + i);
                attacker.text("public", id, "ghost " + i);
            }
            await().atMost(PATIENCE).until(() -> attacker.acknowledged.size() == 2 * ghosts);
            await().atMost(PATIENCE).until(() -> heard.size() == ghosts);
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(rowsOf(7002)).hasSize(2 * ghosts));
            assertThat(rowsOf(7002)).containsAll(heard);
            assertThat(listener.errors).isEmpty();
        } finally {
            stop();
        }
    }
}
