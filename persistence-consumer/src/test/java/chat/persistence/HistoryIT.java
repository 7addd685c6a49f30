package chat.persistence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import chat.log.InMemoryRoomLog;
import chat.log.RoomLog;
import chat.protocol.FrameRules;
import chat.protocol.Member;
import chat.protocol.RoomId;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
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
import org.springframework.context.support.GenericApplicationContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The whole consumer inside another application, which gives it a log and a path of its own for its health. */
class HistoryIT {
    private static final int PARTITIONS = 2;
    private static final long BASE = Instant.parse("2026-11-20T10:00:00Z").toEpochMilli();
    private static final List<String> POSITIONS = new ArrayList<>();

    /** In the order in which they are answered. As a broker that lost power leaves them: places that are several messages'. */
    private static final List<Placed> TWINS = List.of(
            new Placed(10, "0196f3c5-7a10-7000-8000-000000000009"),
            new Placed(20, "00000000-0000-4000-8000-000000000001"),
            new Placed(20, "ffffffff-0000-4000-8000-000000000002"),
            new Placed(30, "0196f3c5-7a10-7000-8000-000000000008"),
            new Placed(40, "00000000-0000-4000-8000-000000000003"),
            new Placed(40, "0196f3c5-7a10-7000-8000-000000000007"),
            new Placed(40, "ffffffff-0000-4000-8000-000000000004"),
            new Placed(50, "0196f3c5-7a10-7000-8000-000000000006"));

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
                .initializers((GenericApplicationContext context) ->
                        context.registerBean(HealthPath.class, () -> new HealthPath("/consumer/health")))
                .properties(Map.of(
                        "server.port", "0",
                        "server.address", "127.0.0.1",
                        "chat.identity.mode", "open",
                        "chat.consumer.batch.age", "50ms",
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
        return pageOf("7", query);
    }

    private static JsonNode pageOf(String room, String query) throws IOException, InterruptedException {
        HttpResponse<String> answer = get("/api/rooms/" + room + "/messages" + query);
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
    void messageEqualsWhatSocketsReceived() throws Exception {
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
    void displayNamesAreStoredAsTheyWereAndAUserHasTheLatest() throws Exception {
        String user = "auth0|\"Zo\"";
        String longest = "\uD83D\uDE00".repeat(4000);
        writer.say("named", new Member(user, "zoe42", "Zo\u00eb"), "first", BASE);
        writer.say("named", new Member(user, "zoe42"), "second", BASE + 1);
        writer.say("named", new Member(user, "zoe42", "\u738b\u5c0f\u660e \"\\"), longest, BASE + 2);
        await().until(() -> pageOf("named", "").get("messages").size() == 3);
        JsonNode messages = pageOf("named", "").get("messages");
        assertThat(messages.get(0).get("displayName").stringValue()).isEqualTo("Zo\u00eb");
        assertThat(messages.get(1).has("displayName")).isFalse();
        assertThat(messages.get(2).get("displayName").stringValue()).isEqualTo("\u738b\u5c0f\u660e \"\\");
        assertThat(messages.get(2).get("message").stringValue()).isEqualTo(longest);
        String path = "/api/users/" + URLEncoder.encode(user, StandardCharsets.UTF_8) + "/messages?limit=1";
        JsonNode own = JsonMapper.shared().readTree(get(path).body());
        assertThat(own.get("username").stringValue()).isEqualTo("zoe42");
        assertThat(own.get("displayName").stringValue()).isEqualTo("\u738b\u5c0f\u660e \"\\");
        assertThat(own.get("messages").get(0).get("displayName").stringValue()).isEqualTo("Zo\u00eb");
    }

    /** The server, WELCOME and the page know one limit; the table must not know a smaller one. */
    @Test
    void limitsOfTheTablesAreThoseOfTheProtocol() {
        assertThat(checks("messages_content_check"))
                .contains("(char_length(content) <= " + FrameRules.LONGEST_TEXT + ")");
        assertThat(checks("users_user_id_check")).contains(">= 1", "<= " + Member.MAX_USER_ID + ")");
        assertThat(checks("messages_username_check")).contains(">= 1", "<= 64)");
        assertThat(checks("rooms_room_id_check")).contains(">= 1", "<= 64)");
    }

    private static String checks(String constraint) {
        return String.join(
                "\n",
                Database.column("SELECT DISTINCT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = '"
                        + constraint + "'"));
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

    private record Placed(long position, String id) {}

    private static List<String> idsOfTwins(int from, int to) {
        return TWINS.subList(from, to).stream().map(Placed::id).toList();
    }

    /** @param messages a SELECT of id, position and time */
    private static void place(String messages) {
        Database.execute("INSERT INTO rooms (room_id) VALUES ('twins')");
        Database.execute("INSERT INTO users (user_id) VALUES ('twin')");
        Database.execute("""
                INSERT INTO messages
                  (message_id, position, timestamp, room, usr, username, message_type, content, server_id)
                SELECT id, position, time, room, usr, 'twin', 'TEXT', 'hi', 'server-1'
                FROM (%s) AS placed (id, position, time), rooms, users
                WHERE room_id = 'twins' AND user_id = 'twin'""".formatted(messages));
    }

    private static void placeTwins() {
        // From the last to the first, so that no order of storing helps.
        place(TWINS.reversed().stream()
                .map(twin -> String.format(
                        Locale.ROOT,
                        "('%s'::uuid, %d::bigint, timestamptz '2026-11-20T10:00:00Z')",
                        twin.id(),
                        twin.position()))
                .collect(Collectors.joining(", ", "VALUES ", "")));
    }

    @AfterEach
    void forgetTwins() {
        Database.execute("DELETE FROM messages WHERE username = 'twin'");
        Database.execute("DELETE FROM rooms WHERE room_id = 'twins'");
        Database.execute("DELETE FROM users WHERE user_id = 'twin'");
    }

    private static List<String> idsOf(JsonNode page) {
        return page.get("messages")
                .valueStream()
                .map(message -> message.get("messageId").stringValue())
                .toList();
    }

    /** The ids of each page, in the order of the pages. */
    private static List<List<String>> pagesOfTwins(String way, long from, String more) throws Exception {
        List<List<String>> pages = new ArrayList<>();
        String place = Long.toString(from);
        while (place != null) {
            JsonNode page = pageOf("twins", "?" + way + "=" + place + more);
            pages.add(idsOf(page));
            place = page.get("next").isNull() ? null : page.get("next").stringValue();
        }
        return pages;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9})
    void ofMessagesOfOnePositionNoneIsLeftOutBetweenPages(int limit) throws Exception {
        placeTwins();
        for (String more : List.of("", "&types=TEXT", "&from=2026-11-20T10:00:00Z&to=2026-11-20T10:00:01Z")) {
            List<List<String>> forwards = pagesOfTwins("after", 0, more + "&limit=" + limit);
            assertThat(forwards.stream().flatMap(List::stream)).isEqualTo(idsOfTwins(0, 8));
            List<List<String>> backwards = pagesOfTwins("before", Long.MAX_VALUE, more + "&limit=" + limit);
            assertThat(backwards.reversed().stream().flatMap(List::stream)).isEqualTo(idsOfTwins(0, 8));
        }
    }

    @Test
    void noPageEndsWithinAPosition() throws Exception {
        placeTwins();
        assertThat(pagesOfTwins("after", 0, "&limit=2"))
                .containsExactly(
                        idsOfTwins(0, 1), idsOfTwins(1, 3), idsOfTwins(3, 4), idsOfTwins(4, 7), idsOfTwins(7, 8));
        assertThat(pagesOfTwins("before", Long.MAX_VALUE, "&limit=2"))
                .containsExactly(
                        idsOfTwins(7, 8), idsOfTwins(4, 7), idsOfTwins(3, 4), idsOfTwins(1, 3), idsOfTwins(0, 1));
        assertThat(pagesOfTwins("after", 0, "&limit=4")).containsExactly(idsOfTwins(0, 4), idsOfTwins(4, 8));
        assertThat(pagesOfTwins("before", 50, "&limit=5")).containsExactly(idsOfTwins(3, 7), idsOfTwins(0, 3));
    }

    @Test
    void noAnswerHasMoreThanTheHighestLimitAndPagesGoOnFromThere() throws Exception {
        place("""
                SELECT ('0196f3c5-7a10-7000-8000-' || lpad(to_hex(i), 12, '0'))::uuid, least(i, 1001), now()
                FROM generate_series(1, 2010) AS i""");
        List<List<String>> forwards = pagesOfTwins("after", 1000, "&limit=3");
        assertThat(forwards.stream().map(List::size)).containsExactly(1000, 0);
        List<List<String>> backwards = pagesOfTwins("before", Long.MAX_VALUE, "&limit=700");
        assertThat(backwards.stream().map(List::size)).containsExactly(1000, 700, 300);
    }

    @Test
    void ofATimeRangeAreAlsoMessagesInThePlaceOfOneThatIsFarOutside() throws Exception {
        String day = "2026-11-20T%s:00Z";
        place("VALUES ('%s'::uuid, 10::bigint, timestamptz '%s'), ('%s', 10, '%s'), ('%s', 20, '%s'), ('%s', 20, '%s')"
                .formatted(
                        TWINS.get(0).id(), day.formatted("09:00"),
                        TWINS.get(1).id(), day.formatted("10:00"),
                        TWINS.get(2).id(), day.formatted("10:30"),
                        TWINS.get(3).id(), day.formatted("12:00")));
        String range = "&from=" + day.formatted("09:30") + "&to=" + day.formatted("11:00");
        assertThat(pagesOfTwins("after", 0, range))
                .containsExactly(List.of(TWINS.get(1).id(), TWINS.get(2).id()));
        assertThat(pagesOfTwins("before", Long.MAX_VALUE, range))
                .containsExactly(List.of(TWINS.get(1).id(), TWINS.get(2).id()));
    }

    @Test
    void lastPageHasNoNext() throws Exception {
        assertThat(page("?limit=251").get("next").isNull()).isTrue();
        assertThat(page("?limit=250").get("next").stringValue()).isEqualTo(POSITIONS.get(249));
        assertThat(positions(page("?after=" + POSITIONS.getLast()))).isEmpty();
        assertThat(positions(page("?before=" + POSITIONS.getFirst()))).isEmpty();
    }

    @Test
    void timeRangeIncludesItsStartAndExcludesItsEnd() throws Exception {
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
    void storedThroughCoversExactlyTheStoredMessages() throws Exception {
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
    void responseListsGapsWithinItsRange() throws Exception {
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
    void badRequestsGetAProblemWithTheAcceptedValues(String path) throws Exception {
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
