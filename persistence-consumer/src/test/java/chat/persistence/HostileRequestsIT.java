package chat.persistence;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import chat.log.RoomLog;
import chat.persistence.ingest.Ingest;
import chat.protocol.RoomId;
import chat.testing.BadRequest;
import chat.testing.LogWatch;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Requests that are wrong, and requests that carry SQL: none is answered with more than a problem, none makes PostgreSQL
 * say anything but what it was asked, none is worth a line in a log.
 */
class HostileRequestsIT {
    private static final int PARTITIONS = 2;
    private static final String FORGED_LINE =
            "\r\n2026-11-20T10:00:00.000Z ERROR 1 --- [main] forged : \u001b[31m${jndi:ldap://127.0.0.1:1/x}";

    private static ConfigurableApplicationContext application;
    private static HttpClient client;
    private static LogWatch complaints;
    private static int postgresLogBefore;

    @BeforeAll
    static void begin() throws Exception {
        Database.empty();
        // As in production, but for the addresses: settings determine what is served and logged.
        application = new SpringApplicationBuilder(HistoryIT.Host.class)
                .properties("spring.config.name=persistence-consumer")
                .run(
                        "--server.port=0",
                        "--server.address=127.0.0.1",
                        "--server.netty.idle-timeout=1s",
                        "--management.server.port=0",
                        "--chat.identity.mode=open",
                        "--chat.consumer.batch.age=50ms",
                        "--chat.postgres.url=" + Database.node().jdbcUrl(),
                        "--chat.postgres.user=" + Database.node().user(),
                        "--chat.postgres.password=" + Database.node().password());
        client = HttpClient.newHttpClient();
        try (Writer writer =
                new Writer(application.getBean(RoomLog.class), new RoomId("7").partition(PARTITIONS)).awaitStarted()) {
            for (int i = 0; i < 20; i++)
                writer.say("7", UUID.randomUUID(), "hello " + FORGED_LINE, System.currentTimeMillis());
            await().atMost(Duration.ofMinutes(2))
                    .ignoreExceptions()
                    .until(() -> Database.number("SELECT count(*) FROM messages"), rows -> rows == 20);
            complaints = LogWatch.begin();
            writer.say("7", UUID.randomUUID(), "poison\0" + FORGED_LINE, System.currentTimeMillis());
            await().until(() -> Database.number("SELECT count(*) FROM dead_letter"), rows -> rows == 1);
        }
        complaints.assertOneLinePerEvent();
        complaints.close();
        Database.execute("DELETE FROM dead_letter");
        await().until(() -> application.getBean(Ingest.class).health().isUp());
        Database.execute("INSERT INTO dead_letter (partition, position, reason, bytes) VALUES (0, 1, 'a secret', '')");
        postgresLogBefore = postgresLog().size();
        complaints = LogWatch.begin();
    }

    @AfterAll
    static void nothingIsSaidInAnyLog() throws IOException {
        try (LogWatch watch = complaints) {
            List<String> said =
                    postgresLog().subList(postgresLogBefore, postgresLog().size());
            assertThat(said).noneMatch(line -> line.contains("ERROR:") || line.contains("FATAL:"));
            assertThat(Database.number("SELECT count(*) FROM messages")).isEqualTo(20);
            assertThat(Database.number("SELECT count(*) FROM dead_letter WHERE resolution IS NULL"))
                    .isEqualTo(1);
            watch.assertQuiet();
        } finally {
            client.close();
            application.close();
        }
    }

    private static List<String> postgresLog() throws IOException {
        return Files.readAllLines(Database.node().log());
    }

    private static int port() {
        return Integer.parseInt(
                Objects.requireNonNull(application.getEnvironment().getProperty("local.server.port")));
    }

    static Stream<BadRequest> badRequests() {
        return BadRequest.all(port());
    }

    @Test
    void everyLineOfTheTableIsACaseOfItsOwn() {
        assertThat(badRequests().map(BadRequest::name))
                .hasSizeGreaterThanOrEqualTo(150)
                .doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @MethodSource("badRequests")
    void respondsAsTheTableSays(BadRequest request) throws IOException {
        request.assertAnswered(port());
    }

    static List<String> payloads() throws IOException {
        try (InputStream file =
                Objects.requireNonNull(HostileRequestsIT.class.getResourceAsStream("/hostile/sql-payloads.txt"))) {
            return new String(file.readAllBytes(), UTF_8).lines().toList();
        }
    }

    @Test
    void thereAreFiftyPayloads() throws IOException {
        assertThat(payloads()).hasSizeGreaterThanOrEqualTo(50).doesNotHaveDuplicates();
    }

    /** Every parameter and path variable that the description names, and those of the dead letters. */
    private static List<String> places() throws IOException {
        List<String> places = new ArrayList<>();
        for (String name : new String[] {"after", "limit", "reason", "room", "state"})
            places.add("/api/dead-letters?" + name + "={}");
        places.add("/api/dead-letters/{}");
        try (InputStream file =
                Objects.requireNonNull(HostileRequestsIT.class.getResourceAsStream("/api-docs/openapi.json"))) {
            JsonNode paths = JsonMapper.shared().readTree(file).get("paths");
            for (Map.Entry<String, JsonNode> path : paths.properties()) {
                String usual = path.getKey().replace("{roomId}", "7").replace("{userId}", "42");
                for (JsonNode parameter : path.getValue().path("get").path("parameters")) {
                    String name = parameter.get("name").stringValue();
                    if (parameter.get("in").stringValue().equals("path"))
                        places.add(path.getKey().replace("{" + name + "}", "{}"));
                    else places.add(usual + "?" + name + "={}");
                }
            }
        }
        return places;
    }

    @ParameterizedTest
    @MethodSource("payloads")
    void sqlIsOnlyEverAValue(String payload) throws Exception {
        List<String> places = places();
        assertThat(places).hasSizeGreaterThan(30);
        for (String place : places) {
            String value = URLEncoder.encode(payload, UTF_8).replace("+", "%20");
            HttpResponse<String> answer = client.send(
                    HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + place.replace("{}", value)))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            assertThat(answer.statusCode()).as(place + " " + answer.body()).isIn(200, 400, 404);
            assertThat(answer.body()).doesNotContain("a secret", "PSQLException", "syntax");
            // That one shows the most active user's messages, whichever room is asked for.
            if (!place.startsWith("/api/metrics")) assertThat(answer.body()).doesNotContain("hello");
        }
    }
}
