package chat.persistence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import chat.persistence.rollup.Stored;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Every answer is compared with what plain SQL says about the messages themselves. */
class AnalyticsIT {
    private static final int MESSAGES = 20_000;
    private static final long FIRST = Stored.START.toEpochMilli();
    private static final long SPAN = Duration.ofDays(3).toMillis();

    private static ConfigurableApplicationContext application;
    private static HttpClient client;

    @BeforeAll
    static void begin() throws Exception {
        Database.empty();
        try (Stored stored = new Stored()) {
            stored.storeMessages(MESSAGES, Stored.Users.ZIPF, 1);
            assertThat(stored.rollups.check().equal()).isTrue();
        }
        application = new SpringApplicationBuilder(HistoryIT.Host.class)
                .properties(Map.of(
                        "server.port", "0",
                        "server.address", "127.0.0.1",
                        "chat.identity.mode", "open",
                        "chat.postgres.reading.query-timeout", "8s",
                        "chat.analytics.cache.age", "10m",
                        "chat.postgres.url", Database.node().jdbcUrl(),
                        "chat.postgres.user", Database.node().user(),
                        "chat.postgres.password", Database.node().password()))
                .run();
        client = HttpClient.newHttpClient();
    }

    @AfterAll
    static void end() {
        client.close();
        application.close();
    }

    private static HttpResponse<String> send(String method, String path) throws Exception {
        String port = application.getEnvironment().getProperty("local.server.port");
        return client.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                        .method(method, HttpRequest.BodyPublishers.noBody())
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private static JsonNode get(String path) throws Exception {
        HttpResponse<String> answer = send("GET", path);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return JsonMapper.shared().readTree(answer.body());
    }

    private record Window(long from, long to) {
        String parameters() {
            return "from=" + Instant.ofEpochMilli(from) + "&to=" + Instant.ofEpochMilli(to);
        }

        String condition() {
            return "timestamp >= '" + Instant.ofEpochMilli(from) + "' AND timestamp < '" + Instant.ofEpochMilli(to)
                    + "'";
        }
    }

    /** From one second to days, as many short as long ones; and all there is. */
    private static List<Window> windows(long longest) {
        Random random = new Random(2);
        List<Window> windows = new ArrayList<>();
        for (int i = 0; i < 25; i++) {
            long length =
                    Math.min(longest, (long) Math.exp(Math.log(1000) + random.nextDouble() * Math.log(SPAN / 1000.0)));
            long from = FIRST - 10_000 + random.nextLong(SPAN - length + 20_000);
            windows.add(new Window(from, from + length));
        }
        windows.add(new Window(FIRST, FIRST));
        long early = FIRST - Duration.ofDays(100).toMillis();
        windows.add(
                new Window(early, early + Math.min(longest, Duration.ofDays(1).toMillis())));
        if (longest >= SPAN) windows.add(new Window(FIRST - 60_000, FIRST + SPAN + 60_000));
        return windows;
    }

    private static List<String> rows(JsonNode list, String... fields) {
        return list.valueStream()
                .map(row -> {
                    List<String> values = new ArrayList<>();
                    for (String field : fields) values.add(row.path(field).asString());
                    return String.join(" ", values);
                })
                .toList();
    }

    @Test
    void distinctUsersAreExactInAnyRange() throws Exception {
        for (Window window : windows(SPAN)) {
            JsonNode answer = get("/api/analytics/active-users?" + window.parameters());
            assertThat(answer.path("activeUsers").longValue() + " "
                            + answer.path("messages").longValue())
                    .as(window.parameters())
                    .isEqualTo(Database.column("SELECT count(DISTINCT usr) || ' ' || count(*) FROM messages WHERE "
                                    + window.condition())
                            .getFirst());
        }
    }

    @Test
    void mostActiveOfARangeMatchTheMessages() throws Exception {
        for (Window window : windows(SPAN)) {
            assertThat(rows(
                            get("/api/analytics/top-users?limit=7&" + window.parameters())
                                    .path("users"),
                            "userId",
                            "messages"))
                    .isEqualTo(Database.column("""
                            SELECT user_id || ' ' || n
                            FROM (SELECT usr, count(*) AS n FROM messages WHERE %s GROUP BY usr) m JOIN users USING (usr)
                            ORDER BY n DESC, usr LIMIT 7""".formatted(window.condition())));
            assertThat(rows(
                            get("/api/analytics/top-rooms?limit=5&" + window.parameters())
                                    .path("rooms"),
                            "roomId",
                            "messages"))
                    .isEqualTo(Database.column("""
                            SELECT room_id || ' ' || n
                            FROM (SELECT room, count(*) AS n FROM messages WHERE %s GROUP BY room) m JOIN rooms USING (room)
                            ORDER BY n DESC, room LIMIT 5""".formatted(window.condition())));
        }
    }

    @Test
    void mostActiveOfAllTimeComeFromTheViews() throws Exception {
        assertThat(rows(get("/api/analytics/top-users?limit=20").path("users"), "userId", "messages", "rooms"))
                .isEqualTo(Database.column("""
                        SELECT user_id || ' ' || n || ' ' || rooms
                        FROM (SELECT usr, count(*) AS n, count(DISTINCT room) AS rooms FROM messages GROUP BY usr) m
                        JOIN users USING (usr) ORDER BY n DESC, user_id LIMIT 20"""));
        assertThat(rows(get("/api/analytics/top-rooms").path("rooms"), "roomId", "messages", "users"))
                .isEqualTo(Database.column("""
                        SELECT room_id || ' ' || n || ' ' || users
                        FROM (SELECT room, count(*) AS n, count(DISTINCT usr) AS users FROM messages GROUP BY room) m
                        JOIN rooms USING (room) ORDER BY n DESC, room_id LIMIT 10"""));
    }

    @ParameterizedTest
    @CsvSource({"messages-per-second, second, 3600", "messages-per-minute, minute, 86400", "hourly, hour, 2678400"})
    void bucketsAreThoseOfTheMessages(String path, String unit, long longestSeconds) throws Exception {
        boolean seconds = unit.equals("second");
        for (Window window : windows(Math.min(SPAN, longestSeconds * 1000))) {
            JsonNode answer = get("/api/analytics/" + path + "?" + window.parameters());
            Window whole = new Window(
                    answer.path("from").longValue(), answer.path("to").longValue());
            assertThat(whole.from()).isLessThanOrEqualTo(window.from());
            assertThat(whole.to()).isGreaterThanOrEqualTo(window.to());
            assertThat(rows(
                            answer.path("buckets"),
                            seconds
                                    ? new String[] {"start", "messages"}
                                    : new String[] {"start", "messages", "users", "rooms"}))
                    .isEqualTo(Database.column("""
                            SELECT (extract(epoch FROM date_trunc('%1$s', timestamp)) * 1000)::bigint || ' ' || count(*)
                                   || CASE WHEN %2$s THEN ''
                                      ELSE ' ' || count(DISTINCT usr) || ' ' || count(DISTINCT room) END
                            FROM messages WHERE %3$s GROUP BY date_trunc('%1$s', timestamp) ORDER BY 1""".formatted(unit, seconds, whole.condition())));
        }
    }

    private static List<String> steps(String amounts) {
        return Database.column("""
                SELECT (1::bigint << floor(log(2, amount))::integer) || ' ' || count(*) FROM (%s) AS a(amount)
                GROUP BY floor(log(2, amount)) ORDER BY floor(log(2, amount))""".formatted(amounts));
    }

    @Test
    void participationIsThatOfTheMessages() throws Exception {
        JsonNode all = get("/api/analytics/participation");
        assertThat(rows(all.path("usersByRooms"), "atLeast", "users"))
                .isEqualTo(steps("SELECT count(DISTINCT room) FROM messages GROUP BY usr"));
        assertThat(rows(all.path("usersByMessages"), "atLeast", "users"))
                .isEqualTo(steps("SELECT count(*) FROM messages GROUP BY usr"));
        for (Window window : windows(SPAN)) {
            JsonNode some = get("/api/analytics/participation?" + window.parameters());
            String messages = " FROM messages WHERE " + window.condition() + " GROUP BY usr";
            assertThat(rows(some.path("usersByRooms"), "atLeast", "users"))
                    .isEqualTo(steps("SELECT count(DISTINCT room)" + messages));
            assertThat(rows(some.path("usersByMessages"), "atLeast", "users"))
                    .isEqualTo(steps("SELECT count(*)" + messages));
        }
        List<String> week = new ArrayList<>();
        for (int day = 0; day < 7; day++)
            for (int hour = 0; hour < 24; hour++) {
                long messages = all.path("hoursOfWeek").get(day).get(hour).longValue();
                if (messages > 0) week.add((day + 1) + " " + hour + " " + messages);
            }
        assertThat(week).isEqualTo(Database.column("""
                SELECT extract(isodow FROM timestamp AT TIME ZONE 'UTC') || ' ' || extract(hour FROM timestamp AT TIME ZONE 'UTC')
                       || ' ' || count(*)
                FROM messages
                GROUP BY extract(isodow FROM timestamp AT TIME ZONE 'UTC'), extract(hour FROM timestamp AT TIME ZONE 'UTC')
                ORDER BY extract(isodow FROM timestamp AT TIME ZONE 'UTC'), extract(hour FROM timestamp AT TIME ZONE 'UTC')"""));
    }

    @Test
    void roomsOfAUserAreOrderedByLastActivity() throws Exception {
        for (String user : List.of("user-0", "user-7", "user-399"))
            assertThat(rows(
                            get("/api/users/" + user + "/rooms").path("rooms"),
                            "roomId",
                            "messages",
                            "firstActivity",
                            "lastActivity"))
                    .isEqualTo(Database.column("""
                            SELECT room_id || ' ' || count(*) || ' ' || (extract(epoch FROM min(timestamp)) * 1000)::bigint
                                   || ' ' || (extract(epoch FROM max(timestamp)) * 1000)::bigint
                            FROM messages JOIN users USING (usr) JOIN rooms USING (room) WHERE user_id = '%s'
                            GROUP BY room_id ORDER BY max(timestamp) DESC, room_id""".formatted(user)));
    }

    private static List<String> idsOfUser(String user, String more) {
        return Database.column("""
                SELECT message_id FROM messages JOIN users USING (usr) WHERE user_id = '%s' %s
                ORDER BY timestamp, position""".formatted(user, more));
    }

    @Test
    void pagesOfAUsersMessagesMeetEveryOneOnceForwardsAndBackwards() throws Exception {
        List<String> expected = idsOfUser("user-3", "");
        assertThat(expected).hasSizeGreaterThan(500);
        List<String> forwards = new ArrayList<>();
        String cursor = "";
        while (cursor != null) {
            JsonNode page = get("/api/users/user-3/messages?limit=170" + cursor);
            forwards.addAll(rows(page.path("messages"), "messageId"));
            cursor = page.path("next").isNull()
                    ? null
                    : "&after=" + page.path("next").stringValue();
        }
        assertThat(forwards).isEqualTo(expected);
        List<String> backwards = new ArrayList<>();
        cursor = "end";
        while (cursor != null) {
            JsonNode page = get("/api/users/user-3/messages?limit=170&before=" + cursor);
            backwards.addAll(0, rows(page.path("messages"), "messageId"));
            cursor = page.path("next").isNull() ? null : page.path("next").stringValue();
        }
        assertThat(backwards).isEqualTo(expected);
    }

    /** Positions are a partition's own: of two partitions they can be equal, and so can the times of the messages there. */
    @Test
    void ofMessagesOfOneTimeAndPositionInSeveralRoomsNoneIsLeftOutBetweenPages() throws Exception {
        List<String> ids = List.of(
                "00000000-0000-7000-8000-000000000001",
                "00000000-0000-7000-8000-00000000000a",
                "ffffffff-0000-7000-8000-000000000002");
        Database.execute("INSERT INTO users (user_id) VALUES ('twin')");
        for (int i = 0; i < 3; i++)
            Database.execute(String.format(Locale.ROOT, """
                    INSERT INTO messages
                      (message_id, position, timestamp, room, usr, username, message_type, content, server_id)
                    SELECT '%s', %d, '2026-11-20T10:00:00.123Z', room, usr, 'twin', 'TEXT', 'hi', 'server-1'
                    FROM rooms, users WHERE room_id = 'room-%d' AND user_id = 'twin'""", ids.get(i), Long.MAX_VALUE, 2 - i));
        try {
            assertThat(pagesOfOne("after=0-0", "after")).isEqualTo(ids);
            assertThat(pagesOfOne("before=end", "before")).isEqualTo(ids.reversed());
            String place = Instant.parse("2026-11-20T10:00:00.123Z").toEpochMilli() + "-" + Long.MAX_VALUE;
            assertThat(pagesOfOne("after=" + place + "-" + ids.get(1), "after")).containsExactly(ids.get(2));
            // Without an id, as earlier versions gave it: all that have the time and the position, or none.
            assertThat(pagesOfOne("after=" + place, "after")).isEmpty();
            assertThat(pagesOfOne("before=" + place, "before")).isEmpty();
        } finally {
            Database.execute("DELETE FROM messages WHERE username = 'twin'");
            Database.execute("DELETE FROM users WHERE user_id = 'twin'");
        }
    }

    private static List<String> pagesOfOne(String first, String way) throws Exception {
        List<String> ids = new ArrayList<>();
        String place = first;
        while (place != null) {
            JsonNode page = get("/api/users/twin/messages?limit=1&" + place);
            ids.addAll(rows(page.path("messages"), "messageId"));
            place = page.path("next").isNull()
                    ? null
                    : way + "=" + page.path("next").stringValue();
        }
        return ids;
    }

    @Test
    void messagesOfAUserAndOfARoomCanBeOfARange() throws Exception {
        for (Window window : windows(SPAN)) {
            assertThat(rows(
                            get("/api/users/user-1/messages?limit=1000&types=TEXT&" + window.parameters())
                                    .path("messages"),
                            "messageId"))
                    .isEqualTo(idsOfUser("user-1", "AND message_type = 'TEXT' AND " + window.condition() + " ").stream()
                            .limit(1000)
                            .toList());
            for (String page : List.of("after=0", "before=" + Long.MAX_VALUE)) {
                String order = page.startsWith("after") ? "position" : "position DESC";
                assertThat(rows(
                                get("/api/rooms/room-3/messages?limit=1000&" + page + "&" + window.parameters())
                                        .path("messages"),
                                "position"))
                        .isEqualTo(Database.column("""
                                SELECT position FROM (
                                    SELECT position FROM messages JOIN rooms USING (room)
                                    WHERE room_id = 'room-3' AND %s ORDER BY %s LIMIT 1000) m ORDER BY position""".formatted(window.condition(), order)));
            }
        }
    }

    @Test
    void unknownUserHasNoRows() throws Exception {
        assertThat(get("/api/users/nobody/messages").path("messages").isEmpty()).isTrue();
        assertThat(get("/api/users/nobody/rooms").path("rooms").isEmpty()).isTrue();
        assertThat(get("/api/rooms/nowhere/messages?from=2026-11-20T10:00:00Z")
                        .path("messages")
                        .isEmpty())
                .isTrue();
    }

    @Test
    void metricsHoldEverythingAndAreAsDescribed() throws Exception {
        JsonNode all = get("/api/metrics?userId=user-1");
        assertThat(all.path("totals").path("messages").longValue()).isEqualTo(MESSAGES);
        assertThat(all.path("totals").path("views").size()).isEqualTo(4);
        assertThat(all.path("core").path("room").path("messages").size()).isEqualTo(10);
        assertThat(all.path("core").path("user").path("userId").stringValue()).isEqualTo("user-1");
        assertThat(all.path("analytics").path("topUsers").path("users").size()).isEqualTo(10);
        Schema schema = new Schema(get("/openapi.json"));
        schema.assertDescribes("/api/metrics", all);
        schema.assertDescribes("/api/rooms/{roomId}/messages", get("/api/rooms/room-1/messages"));
        schema.assertDescribes("/api/users/{userId}/messages", get("/api/users/user-1/messages"));
        schema.assertDescribes("/api/users/{userId}/rooms", get("/api/users/user-1/rooms"));
        String day = new Window(FIRST, FIRST + Duration.ofHours(23).toMillis()).parameters();
        String hour = new Window(FIRST, FIRST + Duration.ofMinutes(59).toMillis()).parameters();
        schema.assertDescribes("/api/analytics/active-users", get("/api/analytics/active-users?" + day));
        schema.assertDescribes("/api/analytics/messages-per-second", get("/api/analytics/messages-per-second?" + hour));
        schema.assertDescribes("/api/analytics/messages-per-minute", get("/api/analytics/messages-per-minute?" + day));
        schema.assertDescribes("/api/analytics/hourly", get("/api/analytics/hourly?" + day));
        for (String path : List.of("top-users", "top-rooms", "participation")) {
            schema.assertDescribes("/api/analytics/" + path, get("/api/analytics/" + path));
            schema.assertDescribes("/api/analytics/" + path, get("/api/analytics/" + path + "?" + day));
        }
    }

    @Test
    void cachedResponsesHaveAnAge() throws Exception {
        String path = "/api/analytics/top-users?limit=3";
        HttpResponse<String> first = send("GET", path);
        HttpResponse<String> again = send("GET", path);
        assertThat(again.headers().firstValue("age")).isPresent();
        assertThat(again.headers().firstValue("cache-control")).hasValue("max-age=600");
        JsonNode one = JsonMapper.shared().readTree(first.body());
        JsonNode other = JsonMapper.shared().readTree(again.body());
        assertThat(other.path("asOf")).isEqualTo(one.path("asOf"));
        assertThat(other.path("ageMillis").longValue())
                .isGreaterThanOrEqualTo(one.path("ageMillis").longValue());
        assertThat(get("/api/metrics?roomId=room-2").path("cache").path("hits").longValue())
                .isPositive();
        assertThat(send("GET", "/api/rooms/room-1/messages?limit=1").headers().firstValue("cache-control"))
                .hasValue("no-store");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/api/users/Zo%C3%AB/messages",
                "/api/users/42/messages?after=7",
                "/api/users/42/messages?after=99999999999999999-1",
                "/api/users/42/messages?after=1-1-1",
                "/api/users/42/messages?after=1-1-1-1-1-1-1",
                "/api/users/42/messages?before=1-1-00000000-0000-7000-8000-000000000001-1",
                "/api/users/42/messages?before=end&after=1-1",
                "/api/users/42/rooms?limit=1001",
                "/api/users/42/rooms?from=2026-11-20T10:00:00Z",
                "/api/analytics/active-users?from=2026-11-20T10:00:00Z",
                "/api/analytics/active-users?from=2026-11-20T10:00:00Z&to=2026-11-19T10:00:00Z",
                "/api/analytics/active-users?from=1970-01-01T00:00:00Z&to=9999-12-31T23:59:59Z",
                "/api/analytics/messages-per-second?from=2026-11-20T10:00:00Z&to=2026-11-20T11:00:00.001Z",
                "/api/analytics/messages-per-minute?from=2026-11-20T10:00:00Z&to=2026-11-21T10:01:00Z",
                "/api/analytics/hourly?from=2026-01-20T10:00:00Z&to=2026-11-21T10:01:00Z",
                "/api/analytics/top-users?limit=101",
                "/api/analytics/top-rooms?top=3",
                "/api/analytics/participation?from=a&to=b",
                "/api/metrics?roomId=a%2Fb",
                "/api/metrics?userId=",
            })
    void badRequestsGetAProblemWithTheAcceptedValues(String path) throws Exception {
        HttpResponse<String> answer = send("GET", path);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
        assertThat(answer.headers().firstValue("content-type")).hasValue("application/problem+json");
        assertThat(JsonMapper.shared().readTree(answer.body()).path("errors").isEmpty())
                .isFalse();
    }

    @Test
    void notFoundIsAProblem() throws Exception {
        HttpResponse<String> missing = send("GET", "/api/analytics/nothing");
        assertThat(missing.statusCode()).isEqualTo(404);
        assertThat(missing.headers().firstValue("content-type")).hasValue("application/problem+json");
        HttpResponse<String> post = send("POST", "/api/metrics");
        assertThat(post.statusCode()).isEqualTo(405);
        assertThat(post.headers().firstValue("content-type")).hasValue("application/problem+json");
        assertThat(post.headers().firstValue("allow")).hasValue("GET,HEAD,OPTIONS");
    }

    @Test
    void slowQueryIsCancelledAsRetryable() throws Exception {
        try (Connection connection = DriverManager.getConnection(
                        Database.node().jdbcUrl(),
                        Database.node().user(),
                        Database.node().password());
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("LOCK TABLE user_room IN ACCESS EXCLUSIVE MODE");
            HttpResponse<String> answer = send("GET", "/api/users/user-1/rooms?limit=9");
            assertThat(answer.statusCode()).isEqualTo(503);
            assertThat(answer.headers().firstValue("retry-after")).hasValue("10");
            assertThat(answer.headers().firstValue("content-type")).hasValue("application/problem+json");
            connection.rollback();
        }
        assertThat(get("/api/users/user-1/rooms?limit=9").path("rooms").isEmpty())
                .isFalse();
    }

    @Test
    void slowQuestionsDoNotKeepChatServersFromTheHistory() throws Exception {
        String port = application.getEnvironment().getProperty("local.server.port");
        List<CompletableFuture<HttpResponse<String>>> slow = new ArrayList<>();
        try (Connection connection = DriverManager.getConnection(
                        Database.node().jdbcUrl(),
                        Database.node().user(),
                        Database.node().password());
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("LOCK TABLE user_room IN ACCESS EXCLUSIVE MODE");
            for (int i = 1; i <= 30; i++)
                slow.add(client.sendAsync(
                        HttpRequest.newBuilder(
                                        URI.create("http://127.0.0.1:" + port + "/api/users/user-1/rooms?limit=" + i))
                                .build(),
                        HttpResponse.BodyHandlers.ofString()));
            await().until(
                            () -> Database.number(
                                    "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"),
                            waiting -> waiting >= 7);
            HttpResponse<String> history = client.send(
                    HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/api/rooms/room-1/messages"))
                            .timeout(Duration.ofSeconds(5))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            assertThat(history.statusCode()).isEqualTo(200);
            connection.rollback();
        }
        CompletableFuture.allOf(slow.toArray(CompletableFuture[]::new)).join();
    }

    @Test
    void onlyTheFilesOfTheDescriptionsPageAreServedOfItsLibrary() throws Exception {
        try (InputStream properties =
                getClass().getResourceAsStream("/META-INF/maven/org.webjars/swagger-ui/pom.properties")) {
            Properties pom = new Properties();
            pom.load(properties);
            String version = pom.getProperty("version");
            for (String slash : List.of("/", "//", "/./", "%2F", "%5C"))
                assertThat(send("GET", "/webjars" + slash + "swagger-ui/" + version + "/index.html")
                                .statusCode())
                        .as(slash)
                        .isEqualTo(404);
            assertThat(send("GET", "//webjars/swagger-ui/" + version + "/index.html")
                            .statusCode())
                    .isEqualTo(404);
        }
    }

    @Test
    void apiPageLoadsNothingExternal() throws Exception {
        for (String path : List.of(
                "/api-docs", "/api-docs/start.js", "/api-docs/swagger-ui.css", "/api-docs/swagger-ui-bundle.js")) {
            HttpResponse<String> answer = send("GET", path);
            assertThat(answer.statusCode()).as(path).isEqualTo(200);
            assertThat(answer.headers().firstValue("content-security-policy").orElseThrow())
                    .contains("default-src 'none'");
        }
        assertThat(send("GET", "/api-docs").body()).doesNotContain("http://").doesNotContain("https://");
    }
}
