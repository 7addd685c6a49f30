package chat.persistence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import chat.log.InMemoryRoomLog;
import chat.log.RoomLog;
import chat.protocol.RoomId;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The whole consumer inside another application, which gives it a log and a path of its own for its health. */
class HistoryIT {
    private static final int PARTITIONS = 2;
    private static final long BASE = Instant.parse("2026-11-20T10:00:00Z").toEpochMilli();
    private static final List<String> POSITIONS = new ArrayList<>();

    private static ConfigurableApplicationContext application;
    private static HttpClient client;
    private static Writer writer;

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(ConsumerConfiguration.class)
    static class Host {
        @Bean
        RoomLog roomLog() {
            return new InMemoryRoomLog(PARTITIONS, 64 << 20, Clock.systemUTC());
        }
    }

    @BeforeAll
    static void begin() throws Exception {
        Database.empty();
        application = new SpringApplicationBuilder(Host.class)
                .properties(Map.of(
                        "server.port", "0",
                        "server.address", "127.0.0.1",
                        "chat.identity.mode", "open",
                        "chat.consumer.health-path", "/consumer/health",
                        "chat.consumer.batch.age", "50ms",
                        "chat.consumer.batch.position-interval", "100ms",
                        "chat.postgres.url", Database.node().jdbcUrl(),
                        "chat.postgres.user", Database.node().user(),
                        "chat.postgres.password", Database.node().password()))
                .run();
        client = HttpClient.newHttpClient();
        RoomLog log = application.getBean(RoomLog.class);
        writer = new Writer(log, new RoomId("7").partition(PARTITIONS)).awaitStarted();
        // One message in every second, JOIN first.
        for (int i = 0; i < 250; i++)
            writer.say("7", UUID.randomUUID(), "<b>hello</b> " + i + " \uD83D\uDE00", BASE + i * 1000L);
        writer.join("7");
        writer.accepted().values().forEach(position -> POSITIONS.add(position.toString()));
        await().atMost(Duration.ofMinutes(2))
                .ignoreExceptions()
                .until(() -> Database.number("SELECT count(*) FROM messages"), rows -> rows == 251);
    }

    @AfterAll
    static void end() {
        writer.close();
        client.close();
        application.close();
    }

    private static HttpResponse<String> get(String path) throws IOException, InterruptedException {
        String port = application.getEnvironment().getProperty("local.server.port");
        return client.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private static JsonNode page(String query) throws IOException, InterruptedException {
        HttpResponse<String> answer = get("/api/rooms/7/messages" + query);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return JsonMapper.shared().readTree(answer.body());
    }

    private static List<String> positions(JsonNode page) {
        return page.get("messages")
                .valueStream()
                .map(message -> message.get("position").stringValue())
                .toList();
    }

    @Test
    void aMessageIsAnsweredAsTheSocketsHadIt() throws Exception {
        JsonNode page = page("?limit=1");
        assertThat(page.get("roomId").stringValue()).isEqualTo("7");
        JsonNode message = page.get("messages").get(0);
        assertThat(message.propertyNames())
                .containsExactly(
                        "position",
                        "messageId",
                        "messageType",
                        "userId",
                        "username",
                        "message",
                        "timestamp",
                        "serverId");
        assertThat(message.get("message").stringValue()).isEqualTo("<b>hello</b> 0 \uD83D\uDE00");
        assertThat(message.get("timestamp").longValue()).isEqualTo(BASE);
        assertThat(message.get("serverId").stringValue()).isEqualTo("server-1");
        JsonNode join = page("?types=JOIN").get("messages").get(0);
        assertThat(join.has("message")).isFalse();
    }

    @Test
    void pagesForwardsMeetEveryMessageOnce() throws Exception {
        List<String> all = new ArrayList<>();
        String next = null;
        do {
            JsonNode page = page("?limit=40" + (next == null ? "" : "&after=" + next));
            all.addAll(positions(page));
            next = page.get("next").isNull() ? null : page.get("next").stringValue();
        } while (next != null);
        assertThat(all).isEqualTo(POSITIONS);
    }

    @Test
    void pagesBackwardsMeetEveryMessageOnceAndStayAscending() throws Exception {
        List<String> all = new ArrayList<>();
        String next = Long.toString(Long.MAX_VALUE);
        while (next != null) {
            JsonNode page = page("?limit=40&before=" + next);
            List<String> some = positions(page);
            assertThat(some)
                    .isEqualTo(POSITIONS.subList(
                            POSITIONS.size() - all.size() - some.size(), POSITIONS.size() - all.size()));
            all.addAll(0, some);
            next = page.get("next").isNull() ? null : page.get("next").stringValue();
        }
        assertThat(all).isEqualTo(POSITIONS);
    }

    @Test
    void aPageThatEndsAtTheEndHasNoNext() throws Exception {
        assertThat(page("?limit=251").get("next").isNull()).isTrue();
        assertThat(page("?limit=250").get("next").stringValue()).isEqualTo(POSITIONS.get(249));
        assertThat(positions(page("?after=" + POSITIONS.getLast()))).isEmpty();
        assertThat(positions(page("?before=" + POSITIONS.getFirst()))).isEmpty();
    }

    @Test
    void aTimeRangeIncludesItsStartAndNotItsEnd() throws Exception {
        JsonNode page = page("?from=2026-11-20T10:00:10Z&to=2026-11-20T11:00:20%2B01:00");
        assertThat(positions(page)).isEqualTo(POSITIONS.subList(10, 20));
        assertThat(positions(page("?from=2026-11-20T10:00:10Z&to=2026-11-20T10:00:10Z")))
                .isEmpty();
        assertThat(positions(page("?from=2026-11-20T10:00:10Z&limit=5&after=" + POSITIONS.get(12))))
                .isEqualTo(POSITIONS.subList(13, 18));
    }

    @Test
    void typesAreFiltered() throws Exception {
        assertThat(positions(page("?types=JOIN,LEAVE"))).containsExactly(POSITIONS.getLast());
        assertThat(positions(page("?types=TEXT&limit=1000"))).hasSize(250);
    }

    @Test
    void storedThroughCoversWhatIsStoredAndNothingElse() throws Exception {
        JsonNode page = page("?limit=1");
        assertThat(page.get("storedThrough").stringValue().compareTo(POSITIONS.getLast()))
                .isPositive();
        String other = IntStream.range(0, 100)
                .mapToObj(i -> "room-" + i)
                .filter(room -> new RoomId(room).partition(PARTITIONS) != new RoomId("7").partition(PARTITIONS))
                .findFirst()
                .orElseThrow();
        JsonNode nothing = JsonMapper.shared()
                .readTree(get("/api/rooms/" + other + "/messages").body());
        assertThat(nothing.get("storedThrough").isNull()).isTrue();
        assertThat(nothing.get("messages").isEmpty()).isTrue();
        assertThat(nothing.get("next").isNull()).isTrue();
    }

    @Test
    void gapsAreToldWhereTheAnswerReachesIntoThem() throws Exception {
        int partition = new RoomId("7").partition(PARTITIONS);
        long from = Long.parseLong(POSITIONS.get(100));
        Database.execute("INSERT INTO log_gap (partition, reason, from_position, to_position) VALUES (" + partition
                + ", 'TRUNCATED', " + from + ", " + (from + 1) + ")");
        try {
            assertThat(page("?limit=1000").get("gaps"))
                    .isEqualTo(JsonMapper.shared()
                            .readTree("[{\"from\":\"" + from + "\",\"to\":\"" + (from + 1) + "\"}]"));
            assertThat(page("?limit=50").get("gaps").isEmpty()).isTrue();
            assertThat(page("?after=" + POSITIONS.get(102)).get("gaps").isEmpty())
                    .isTrue();
            assertThat(page("?limit=200&before=" + POSITIONS.get(200))
                            .get("gaps")
                            .size())
                    .isEqualTo(1);
            assertThat(page("?before=" + POSITIONS.get(99)).get("gaps").isEmpty())
                    .isTrue();
        } finally {
            Database.execute("DELETE FROM log_gap");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/api/rooms/7/messages?limit=0",
                "/api/rooms/7/messages?limit=1001",
                "/api/rooms/7/messages?after=x",
                "/api/rooms/7/messages?after=1&before=2",
                "/api/rooms/7/messages?from=2026-11-20T10:00:00+01:00",
                "/api/rooms/7/messages?types=SHOUT",
                "/api/rooms/7/messages?sort=position",
                "/api/rooms/7/messages?limit",
                "/api/rooms/7'%20OR%201=1--/messages",
                "/api/rooms/7%00/messages",
                "/api/rooms/%F0%9F%98%80/messages",
            })
    void badRequestsGetAProblemThatSaysWhatIsAccepted(String path) throws Exception {
        HttpResponse<String> answer = get(path);
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.headers().firstValue("content-type")).hasValue("application/problem+json");
        JsonNode problem = JsonMapper.shared().readTree(answer.body());
        assertThat(problem.get("status").intValue()).isEqualTo(400);
        assertThat(problem.get("errors").isEmpty()).isFalse();
        assertThat(problem.get("detail").stringValue()).isNotBlank();
    }

    @Test
    void healthIsWhereTheHostWantsIt() throws Exception {
        HttpResponse<String> answer = get("/consumer/health");
        assertThat(answer.statusCode()).isEqualTo(200);
        JsonNode health = JsonMapper.shared().readTree(answer.body());
        assertThat(health.get("status").stringValue()).isEqualTo("UP");
        assertThat(health.get("database").stringValue()).isEqualTo("UP");
        assertThat(health.get("partitions").size()).isEqualTo(PARTITIONS);
        assertThat(get("/health").statusCode()).isEqualTo(404);
    }
}
