package chat.persistence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import chat.kit.web.KnownPaths;
import chat.log.RoomLog;
import chat.nodes.Ports;
import chat.nodes.PostgresNode;
import chat.nodes.PostgresPair;
import chat.protocol.RoomId;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.http.HttpMethod;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A consumer whose queries go to a streaming replica. While the replica does not replay what it receives, its rows
 * differ from the primary's.
 */
class ReplicaIT {
    private static final Duration SOON = Duration.ofMinutes(2);
    private static final Instant FIRST = Instant.parse("2026-11-20T10:00:00Z");
    private static final String RANGE = "?from=" + FIRST + "&to=" + FIRST.plusSeconds(60);
    private static final String ROOM = "7";
    private static final String TOO_LONG = "x".repeat(4_001);

    /** Each query, and where its answer has the number of messages or dead letters that it found. */
    private static final Map<String, String> READS = Map.ofEntries(
            Map.entry("/api/rooms/{roomId}/messages", "/messages"),
            Map.entry("/api/users/{userId}/messages", "/messages"),
            Map.entry("/api/users/{userId}/rooms", "/rooms/0/messages"),
            Map.entry("/api/analytics/active-users", "/messages"),
            Map.entry("/api/analytics/messages-per-second", "/buckets/0/messages"),
            Map.entry("/api/analytics/messages-per-minute", "/buckets/0/messages"),
            Map.entry("/api/analytics/hourly", "/buckets/0/messages"),
            Map.entry("/api/analytics/top-users", "/users/0/messages"),
            Map.entry("/api/analytics/top-rooms", "/rooms/0/messages"),
            Map.entry("/api/analytics/participation", "/usersByMessages/0/atLeast"),
            Map.entry("/api/metrics", "/totals/messages"),
            Map.entry("/api/dead-letters", "/deadLetters"));

    /** A single letter must show the latest change; the others read no database. */
    private static final List<String> OTHERS = List.of("/api/dead-letters/{id}", "/api/servers", "/api/consumer");

    @TempDir
    static Path directory;

    private static PostgresPair pair;
    private static ConfigurableApplicationContext application;
    private static HttpClient client;
    private static Writer writer;
    private static int said;

    @BeforeAll
    static void begin() throws Exception {
        pair = new PostgresPair(directory, List.of(Ports.free(), Ports.free()), ignored -> {}).start();
        application = new SpringApplicationBuilder(HistoryIT.Host.class)
                .run(
                        "--server.port=0",
                        "--server.address=127.0.0.1",
                        "--chat.identity.mode=open",
                        "--chat.consumer.batch.age=50ms",
                        "--chat.analytics.fold=100ms",
                        "--chat.analytics.refresh=1s",
                        "--chat.analytics.cache.age=0s",
                        "--chat.postgres.url=" + pair.primary().jdbcUrl(),
                        "--chat.postgres.read-url=" + pair.replica().jdbcUrl(),
                        "--chat.postgres.user=" + pair.primary().user(),
                        "--chat.postgres.password=" + pair.primary().password());
        client = HttpClient.newHttpClient();
        RoomLog log = application.getBean(RoomLog.class);
        writer = new Writer(log, new RoomId(ROOM).partition(log.partitions())).awaitStarted();
    }

    @AfterAll
    static void end() {
        writer.close();
        client.close();
        application.close();
        pair.close();
    }

    private static List<String> column(PostgresNode node, String sql) {
        try (Connection connection = DriverManager.getConnection(node.jdbcUrl(), node.user(), node.password());
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<String> column = new ArrayList<>();
            while (rows.next()) column.add(rows.getString(1));
            return column;
        } catch (SQLException failed) {
            throw new IllegalStateException(failed);
        }
    }

    /** Sends four texts that are stored, and four that become dead letters. */
    private static void say() {
        for (int i = 0; i < 4; i++) {
            writer.say(ROOM, UUID.randomUUID(), "hello", FIRST.toEpochMilli() + said);
            writer.say(ROOM, UUID.randomUUID(), TOO_LONG, FIRST.toEpochMilli() + said++);
        }
    }

    /** Everything that writing and aggregating have done on this server: rows, roll-ups, view, dead letters. */
    private static List<String> stored(PostgresNode node) {
        return column(node, """
                SELECT count(*) FROM messages
                UNION ALL SELECT sum(messages) FROM user_total
                UNION ALL SELECT sum(message_count) FROM room_stats
                UNION ALL SELECT max(at_least) FROM participation_stats WHERE measure = 'messages'
                UNION ALL SELECT count(*) FROM dead_letter""");
    }

    private static void awaitStored(PostgresNode node, String each) {
        await().atMost(SOON)
                .ignoreExceptions()
                .untilAsserted(() -> assertThat(stored(node)).hasSize(5).containsOnly(each));
    }

    private static Map<String, String> answers() throws Exception {
        Map<String, String> answers = new TreeMap<>();
        for (Map.Entry<String, String> read : READS.entrySet()) {
            String path = read.getKey().replace("{roomId}", ROOM).replace("{userId}", "42");
            boolean ranged = path.startsWith("/api/analytics");
            JsonNode found = get(path + (ranged ? RANGE : "")).at(read.getValue());
            answers.put(read.getKey(), found.isArray() ? Integer.toString(found.size()) : found.asString());
        }
        return answers;
    }

    private static JsonNode get(String path) throws Exception {
        String port = application.getEnvironment().getProperty("local.server.port");
        HttpResponse<String> response = client.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        assertThat(response.statusCode()).as(path + " " + response.body()).isEqualTo(200);
        return JsonMapper.shared().readTree(response.body());
    }

    @Test
    void everyReadAnswersFromTheReplicaAndWritingStaysOnThePrimary() throws Exception {
        say();
        awaitStored(pair.replica(), "4");
        column(pair.replica(), "SELECT pg_wal_replay_pause()");
        await().atMost(SOON)
                .until(() -> column(pair.replica(), "SELECT pg_get_wal_replay_pause_state()")
                        .equals(List.of("paused")));
        say();
        awaitStored(pair.primary(), "8");

        assertThat(answers())
                .allSatisfy((path, found) -> assertThat(found).as(path).isEqualTo("4"));
        assertThat(stored(pair.replica())).containsOnly("4");

        column(pair.replica(), "SELECT pg_wal_replay_resume()");
        awaitStored(pair.replica(), "8");
        assertThat(answers())
                .allSatisfy((path, found) -> assertThat(found).as(path).isEqualTo("8"));
        String pools = "SELECT DISTINCT application_name FROM pg_stat_activity"
                + " WHERE application_name LIKE 'confab-consumer%' ORDER BY 1";
        assertThat(column(pair.replica(), pools)).containsExactly("confab-consumer-reading");
        assertThat(column(pair.primary(), pools))
                .containsExactly("confab-consumer-aggregating", "confab-consumer-writing");
    }

    @Test
    void everyQueryIsCompared() {
        TreeSet<String> queries = new TreeSet<>();
        application.getBean(KnownPaths.class).methods().forEach((path, methods) -> {
            if (path.startsWith("/api/") && methods.contains(HttpMethod.GET)) queries.add(path);
        });
        queries.removeAll(OTHERS);
        assertThat(queries).isEqualTo(new TreeSet<>(READS.keySet()));
    }
}
