package chat.persistence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import chat.log.InMemoryRoomLog;
import chat.log.LogUnavailable;
import chat.log.RoomLog;
import chat.persistence.ingest.Ingest;
import chat.protocol.DerivedId;
import chat.protocol.MessageType;
import chat.protocol.RoomId;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class DeadLettersIT {
    private static final Duration SOON = Duration.ofMinutes(2);
    private static final String TOO_LONG = "😀".repeat(4_001);

    private static ConfigurableApplicationContext application;
    private static HttpClient client;
    private static Writer writer;

    @BeforeAll
    static void begin() throws Exception {
        Database.empty();
        application = new SpringApplicationBuilder(HistoryIT.Host.class)
                .properties(Map.of(
                        "server.port",
                        "0",
                        "server.address",
                        "127.0.0.1",
                        "chat.identity.mode",
                        "open",
                        "chat.consumer.batch.age",
                        "50ms",
                        "chat.postgres.url",
                        Database.node().jdbcUrl(),
                        "chat.postgres.user",
                        Database.node().user(),
                        "chat.postgres.password",
                        Database.node().password()))
                .run();
        client = HttpClient.newHttpClient();
        writer = new Writer(application.getBean(RoomLog.class), 0).awaitStarted();
        await().atMost(SOON)
                .until(() -> application.getBean(Ingest.class).health().prepared());
    }

    @AfterAll
    static void end() {
        writer.close();
        client.close();
        application.close();
    }

    @BeforeEach
    void empty() {
        Database.execute("DELETE FROM dead_letter; DELETE FROM messages");
    }

    private record Answer(int status, JsonNode body) {}

    private static Answer send(HttpRequest.Builder request, String path) throws Exception {
        String port = application.getEnvironment().getProperty("local.server.port");
        HttpResponse<String> response = client.send(
                request.uri(URI.create("http://127.0.0.1:" + port + path)).build(),
                HttpResponse.BodyHandlers.ofString());
        String type = response.headers().firstValue("Content-Type").orElse("none");
        assertThat(type).isEqualTo(response.statusCode() == 200 ? "application/json" : "application/problem+json");
        return new Answer(response.statusCode(), JsonMapper.shared().readTree(response.body()));
    }

    private static Answer get(String path) throws Exception {
        return send(HttpRequest.newBuilder(), "/api/dead-letters" + path);
    }

    private static Answer post(String path) throws Exception {
        return send(
                HttpRequest.newBuilder()
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString("{}")),
                "/api/dead-letters" + path);
    }

    private static List<Long> ids(Answer page) {
        assertThat(page.status()).as(page.body().toString()).isEqualTo(200);
        return page.body()
                .get("deadLetters")
                .valueStream()
                .map(letter -> letter.get("id").longValue())
                .toList();
    }

    /** One for a text that is too long. */
    private static long letter(String room) {
        UUID id = writer.say(room, TOO_LONG);
        String sql = "SELECT id FROM dead_letter WHERE message_id = '" + id + "'";
        await().atMost(SOON).until(() -> !Database.column(sql).isEmpty());
        return Database.number(sql);
    }

    @Test
    void deadLettersAreListedWithTheirFields() throws Exception {
        long id = letter("7");
        JsonNode summary = get("").body().get("deadLetters").get(0);
        assertThat(summary.get("id").longValue()).isEqualTo(id);
        assertThat(summary.get("roomId").stringValue()).isEqualTo("7");
        assertThat(summary.get("state").stringValue()).isEqualTo("OPEN");
        assertThat(summary.get("reason").stringValue()).contains("messages_content_check");
        assertThat(summary.get("bytes").intValue()).isGreaterThan(2404);
        JsonNode whole = get("/" + id).body();
        assertThat(whole.get("deadLetter")).isEqualTo(summary);
        assertThat(whole.get("serverId").stringValue()).isEqualTo("server-1");
        assertThat(whole.get("clientIp").stringValue()).isEqualTo("10.1.2.3");
        assertThat(whole.get("text").stringValue()).contains(TOO_LONG);
        assertThat(Base64.getDecoder().decode(whole.get("base64").stringValue()))
                .hasSize(summary.get("bytes").intValue());
    }

    @Test
    void deadLettersArePagedAndFiltered() throws Exception {
        long first = letter("7");
        long second = letter("8");
        long third = letter("7");
        assertThat(ids(get(""))).containsExactly(first, second, third);
        Answer page = get("?limit=2");
        assertThat(ids(page)).containsExactly(first, second);
        assertThat(ids(get("?after=" + page.body().get("next").stringValue()))).containsExactly(third);
        assertThat(get("?limit=3").body().get("next").isNull()).isTrue();
        assertThat(ids(get("?room=8"))).containsExactly(second);
        assertThat(ids(get("?reason=CONFLICT"))).isEmpty();
        assertThat(ids(get("?reason=ERROR"))).containsExactly(first, second, third);
        assertThat(post("/" + second + "/discard").status()).isEqualTo(200);
        assertThat(ids(get(""))).containsExactly(first, third);
        assertThat(ids(get("?state=discarded"))).containsExactly(second);
        assertThat(ids(get("?state=all"))).containsExactly(first, second, third);
    }

    @Test
    void replayedLetterHasItsOriginalPosition() throws Exception {
        long id = letter("7");
        writer.say("7", "after");
        Database.execute("ALTER TABLE messages DROP CONSTRAINT messages_content_check");
        try {
            Answer answer = post("/" + id + "/replay");
            assertThat(answer.body().toString()).isEqualTo("{\"outcome\":\"REPLAYED\",\"rows\":1,\"reason\":null}");
            await().atMost(SOON).until(() -> Database.number("SELECT count(*) FROM messages") == 2);
            assertThat(Database.column("SELECT length(content) || ' ' || room_id || ' ' || user_id || ' ' || username"
                            + " || ' ' || server_id || ' ' || host(client_ip) FROM messages JOIN rooms USING (room)"
                            + " JOIN users USING (usr) ORDER BY position"))
                    .containsExactly("4001 7 42 alice42 server-1 10.1.2.3", "5 7 42 alice42 server-1 10.1.2.3");
        } finally {
            Database.execute("DELETE FROM messages");
            Database.execute("ALTER TABLE messages ADD CONSTRAINT messages_content_check"
                    + " CHECK (char_length(content) <= 4000)");
        }
        assertThat(ids(get("?state=replayed"))).containsExactly(id);
        assertThat(post("/" + id + "/replay").status()).isEqualTo(409);
        assertThat(post("/" + id + "/discard").status()).isEqualTo(409);
    }

    @Test
    void letterRejectedAgainKeepsTheNewReason() throws Exception {
        long id = letter("7");
        Database.execute("UPDATE dead_letter SET reason = 'an old one'");
        Answer answer = post("/" + id + "/replay");
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.body().get("outcome").stringValue()).isEqualTo("REFUSED");
        assertThat(answer.body().get("reason").stringValue()).contains("messages_content_check");
        assertThat(get("/" + id).body().get("deadLetter").get("reason").stringValue())
                .contains("messages_content_check");
        assertThat(ids(get(""))).containsExactly(id);
        Database.execute("UPDATE dead_letter SET bytes = '{'");
        assertThat(post("/" + id + "/replay").body().get("outcome").stringValue())
                .isEqualTo("REFUSED");
        assertThat(Database.column("SELECT reason FROM dead_letter").getFirst())
                .doesNotContain("messages_content_check");
        assertThat(Database.number("SELECT count(*) FROM messages")).isZero();
    }

    @Test
    void letterWithAUsedIdIsReplayedUnderADerivedId() throws Exception {
        long letter = letter("7");
        UUID id = UUID.fromString(
                Database.column("SELECT message_id FROM dead_letter").getFirst());
        writer.say("7", id, "mine", System.currentTimeMillis());
        await().atMost(SOON).until(() -> Database.number("SELECT count(*) FROM messages") == 1);
        Database.execute("ALTER TABLE messages DROP CONSTRAINT messages_content_check");
        try {
            Answer answer = post("/" + letter + "/replay");
            assertThat(answer.body().toString()).isEqualTo("{\"outcome\":\"REPLAYED\",\"rows\":1,\"reason\":null}");
            assertThat(Database.column("SELECT message_id FROM messages WHERE content <> 'mine'"))
                    .containsExactly(DerivedId.of(id, new RoomId("7"), "42", MessageType.TEXT, TOO_LONG, 0)
                            .toString());
        } finally {
            Database.execute("DELETE FROM messages");
            Database.execute("ALTER TABLE messages ADD CONSTRAINT messages_content_check"
                    + " CHECK (char_length(content) <= 4000)");
        }
    }

    @Test
    void discardedLetterIsKeptWithItsTime() throws Exception {
        long id = letter("7");
        JsonNode letter = post("/" + id + "/discard").body();
        assertThat(letter.get("state").stringValue()).isEqualTo("DISCARDED");
        assertThat(letter.get("resolvedAt").stringValue()).isNotEmpty();
        assertThat(get("/" + id).body().get("text").stringValue()).contains(TOO_LONG);
        assertThat(post("/" + id + "/discard").status()).isEqualTo(409);
    }

    /** An entry of two messages, as encoded in a log. */
    private static byte[] entry() throws Exception {
        BlockingQueue<byte[]> entries = new LinkedBlockingQueue<>();
        try (RoomLog log = new InMemoryRoomLog(1, 1 << 20, Clock.systemUTC());
                RoomLog.Tail tail = log.tail(0, new RoomLog.Start.First(), new RoomLog.TailHandler() {
                    @Override
                    public void entry(long offset, byte[] bytes) {
                        entries.add(bytes);
                    }

                    @Override
                    public void ended(LogUnavailable cause) {}
                });
                Writer other = new Writer(log, 0).awaitStarted()) {
            assertThat(tail).isNotNull();
            other.say("7", "kept as bytes");
            other.accepted();
            while (true) {
                byte[] bytes = entries.poll(30, TimeUnit.SECONDS);
                if (bytes == null) throw new IllegalStateException("no entry with messages");
                if (new String(bytes, StandardCharsets.UTF_8).contains("kept as bytes")) return bytes;
            }
        }
    }

    @Test
    void nowReadableEntryIsStoredAtItsPosition() throws Exception {
        Database.execute("INSERT INTO dead_letter (partition, position, reason, bytes) VALUES (0, " + 5_000L * 2048
                + ", 'not known then', '\\x" + HexFormat.of().formatHex(entry()) + "')");
        long id = Database.number("SELECT id FROM dead_letter");
        assertThat(post("/" + id + "/replay").body().toString())
                .isEqualTo("{\"outcome\":\"REPLAYED\",\"rows\":1,\"reason\":null}");
        assertThat(Database.column("SELECT content || ' ' || position FROM messages"))
                .containsExactly("kept as bytes " + 5_000L * 2048);
    }

    @Test
    void stillUnreadableEntryStays() throws Exception {
        Database.execute(
                "INSERT INTO dead_letter (partition, position, reason, bytes) VALUES (0, 2048, 'old', '\\x63')");
        long id = Database.number("SELECT id FROM dead_letter");
        Answer answer = post("/" + id + "/replay");
        assertThat(answer.body().get("outcome").stringValue()).isEqualTo("REFUSED");
        assertThat(Database.column("SELECT reason FROM dead_letter"))
                .containsExactly(answer.body().get("reason").stringValue())
                .doesNotContain("old");
    }

    @ParameterizedTest
    @CsvSource({
        "?limit=0, 400",
        "?limit=501, 400",
        "?after=x, 400",
        "?after=99999999999999999999, 400",
        "?state=lost, 400",
        "?reason=, 400",
        "?room=%00, 400",
        "?page=2, 400",
        "?limit=1&limit=2, 400",
        "/x, 400",
        "/-1, 400",
        "/4711, 404"
    })
    void invalidRequestIsRejectedWithTheReason(String path, int status) throws Exception {
        Answer answer = get(path);
        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.body().get("detail").stringValue()).isNotEmpty();
    }

    @Test
    void pageOfAnotherOriginCannotChangeAnything() throws Exception {
        long id = letter("7");
        HttpRequest.Builder form = HttpRequest.newBuilder()
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(HttpRequest.BodyPublishers.noBody());
        assertThat(send(form, "/api/dead-letters/" + id + "/discard").status()).isEqualTo(415);
        HttpRequest.Builder nonsense =
                HttpRequest.newBuilder().header("Content-Type", "nonsense").POST(HttpRequest.BodyPublishers.noBody());
        assertThat(send(nonsense, "/api/dead-letters/" + id + "/discard").status())
                .isEqualTo(415);
        assertThat(ids(get(""))).containsExactly(id);
    }
}
