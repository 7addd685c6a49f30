package chat.persistence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import chat.kit.identity.Claims;
import chat.kit.identity.SigningKey;
import chat.nodes.Ports;
import chat.persistence.ingest.Ingest;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Access over REST with tokens. */
class AccessIT {
    private static final String ISSUER = "https://issuer.example";
    private static final int MANAGEMENT = Ports.free();

    @TempDir
    static Path directory;

    private static ConfigurableApplicationContext application;
    private static HttpClient client;
    private static SigningKey key;

    @BeforeAll
    static void begin() throws Exception {
        Database.empty();
        SigningKey.Pair pair = SigningKey.make();
        key = SigningKey.read(pair.secret());
        Path known = Files.writeString(directory.resolve("public-key.pem"), pair.known());
        application = new SpringApplicationBuilder(HistoryIT.Host.class)
                .properties("spring.config.name=persistence-consumer")
                .run(
                        "--server.port=0",
                        "--server.address=127.0.0.1",
                        "--management.server.port=" + MANAGEMENT,
                        "--chat.identity.mode=token",
                        "--chat.identity.public-key=" + known,
                        "--chat.identity.issuer=" + ISSUER,
                        "--chat.identity.public-rooms=public-*",
                        "--chat.postgres.url=" + Database.node().jdbcUrl(),
                        "--chat.postgres.user=" + Database.node().user(),
                        "--chat.postgres.password=" + Database.node().password());
        client = HttpClient.newHttpClient();
        await().atMost(Duration.ofMinutes(1))
                .until(() -> application.getBean(Ingest.class).health().prepared());
    }

    @AfterAll
    static void end() {
        client.close();
        application.close();
    }

    private static String token(String... roles) {
        return tokenOf("42", null, roles);
    }

    private static String tokenOf(String user, @Nullable String name, String... roles) {
        return key.sign(
                new Claims(ISSUER, "confab", user, name, null, List.of("news"), List.of("team-*"), List.of(roles))
                        .json(Instant.now(), Duration.ofMinutes(10)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"a/b", "a;b=c", "100%25", "a\\b", "a b", "\"a\"", "https://login.example/u?id=7#x", "a//b", "{a}"
            })
    void userWithAnyPrintableIdReadsItsOwnHistory(String user) throws Exception {
        String encoded = URLEncoder.encode(user, StandardCharsets.UTF_8).replace("+", "%20");
        HttpResponse<String> own = get("/api/users/" + encoded + "/messages", tokenOf(user, null));
        assertThat(own.statusCode()).isEqualTo(200);
        assertThat(JsonMapper.shared().readTree(own.body()).path("userId").asString())
                .isEqualTo(user);
        assertThat(get("/api/users/" + encoded + "/rooms", token()).statusCode())
                .isEqualTo(403);
    }

    @Test
    void tokenWithAnInvalidNameIsRejectedWithTheReason() throws Exception {
        HttpResponse<String> refused = get("/api/users/42/messages", tokenOf("42", "a\u202eb"));
        assertThat(refused.statusCode()).isEqualTo(401);
        assertIsProblem(refused, 401);
        assertThat(refused.body()).contains("name must not contain bidirectional overrides");
        assertThat(get("/api/users/42/messages", tokenOf("42", "Zo\u00eb Example"))
                        .statusCode())
                .isEqualTo(200);
    }

    private static HttpResponse<String> send(String method, URI uri, @Nullable String token) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri)
                .method(method, HttpRequest.BodyPublishers.noBody())
                .header("Content-Type", "application/json");
        if (token != null) request.header("Authorization", "Bearer " + token);
        return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private static HttpResponse<String> get(String path, @Nullable String token) throws Exception {
        return send("GET", at(path), token);
    }

    private static URI at(String path) {
        return URI.create("http://127.0.0.1:" + application.getEnvironment().getProperty("local.server.port") + path);
    }

    /** Access of each caller: the member is user 42 and may read news and team-*; every token may read public-*. */
    @ParameterizedTest
    @CsvSource({
        "/api/rooms/news/messages,                   200, 200, 200",
        "/api/rooms/team-a/messages?limit=1,         200, 200, 200",
        "/api/rooms/public-1/messages,               200, 200, 200",
        "/api/rooms/other/messages,                  403, 200, 200",
        "/api/rooms/team/messages,                   403, 200, 200",
        "/api/rooms/n%65ws/messages,                 200, 200, 200",
        "/api/rooms/a%20b/messages,                  403, 400, 400",
        "/api/users/42/messages,                     200, 200, 200",
        "/api/users/42/rooms,                        200, 200, 200",
        "/api/users/43/messages,                     403, 200, 200",
        "/api/users/43/rooms,                        403, 200, 200",
        "/api/users/%34%32/rooms,                    200, 200, 200",
        "/api/analytics/active-users,                403, 200, 200",
        "/api/analytics/messages-per-second,         403, 200, 200",
        "/api/analytics/messages-per-minute,         403, 200, 200",
        "/api/analytics/hourly,                      403, 200, 200",
        "/api/analytics/top-users,                   403, 200, 200",
        "/api/analytics/top-rooms,                   403, 200, 200",
        "/api/analytics/participation,               403, 200, 200",
        "/api/metrics,                               403, 200, 200",
        "/api/servers,                               403, 200, 200",
        "/api/consumer,                              403, 200, 200",
        "/api/dead-letters,                          403, 403, 200",
        "/api/dead-letters/1,                        403, 403, 404",
        "/api/nothing,                               404, 404, 404"
    })
    void eachRoleReadsOnlyItsPart(String path, int member, int analyst, int operator) throws Exception {
        HttpResponse<String> unknown = get(path, null);
        assertThat(unknown.statusCode()).isEqualTo(401);
        assertThat(unknown.headers().firstValue("WWW-Authenticate").orElseThrow())
                .startsWith("Bearer");
        assertIsProblem(unknown, 401);
        assertThat(get(path, token()).statusCode()).as("member").isEqualTo(member);
        assertThat(get(path, token("analyst")).statusCode()).as("analyst").isEqualTo(analyst);
        assertThat(get(path, token("operator")).statusCode()).as("operator").isEqualTo(operator);
        if (member == 403) assertIsProblem(get(path, token()), 403);
    }

    private static void assertIsProblem(HttpResponse<String> answer, int status) {
        assertThat(answer.headers().firstValue("Content-Type").orElseThrow()).startsWith("application/problem+json");
        JsonNode problem = JsonMapper.shared().readTree(answer.body());
        assertThat(problem.path("status").asInt()).isEqualTo(status);
        assertThat(problem.path("detail").asString()).isNotEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"replay", "discard"})
    void onlyOperatorsChangeDeadLetters(String what) throws Exception {
        URI letter = at("/api/dead-letters/1/" + what);
        assertThat(send("POST", letter, null).statusCode()).isEqualTo(401);
        assertThat(send("POST", letter, token("analyst")).statusCode()).isEqualTo(403);
        assertThat(send("POST", letter, token("operator")).statusCode()).isEqualTo(404);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/api/rooms/other/messages/",
                "//api/rooms/other/messages",
                "/api//rooms/other/messages",
                "/api/rooms/other/messages;x=1",
                "/API/rooms/other/messages",
                "/%61pi/rooms/other/messages"
            })
    void noSpellingOfAPathGetsPast(String path) throws Exception {
        assertThat(get(path, null).statusCode()).isIn(308, 400, 401, 404);
        assertThat(get(path, token()).statusCode()).isIn(308, 400, 403, 404);
    }

    @Test
    void tokenInTheUrlIsRejectedAndNotEchoed() throws Exception {
        String token = token("operator");
        HttpResponse<String> answer = get("/api/metrics?access_token=" + token, null);
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.body()).doesNotContain(token);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/health", "/openapi.json", "/api-docs", "/dashboard"})
    void pathsWithoutUserDataNeedNoToken(String path) throws Exception {
        assertThat(get(path, null).statusCode()).isIn(200, 503);
    }

    @Test
    void onTheManagementPortMetricsAreForEverybodyAndTheCheckForOperators() throws Exception {
        String management = "http://127.0.0.1:" + MANAGEMENT + "/actuator/";
        HttpResponse<String> metrics = send("GET", URI.create(management + "prometheus"), null);
        assertThat(metrics.statusCode()).isEqualTo(200);
        assertThat(metrics.body()).contains("persistence_refused_total{reason=\"token-missing\"}");
        URI check = URI.create(management + "rollupcheck");
        assertThat(send("POST", check, null).statusCode()).isEqualTo(401);
        assertThat(send("POST", check, token("analyst")).statusCode()).isEqualTo(403);
        assertThat(send("POST", check, token("operator")).statusCode()).isEqualTo(200);
    }

    @Test
    void noOtherSiteMayReadAnAnswerAndNoCookieIsSet() throws Exception {
        HttpRequest request = HttpRequest.newBuilder(at("/api/metrics"))
                .header("Origin", "https://evil.example")
                .header("Authorization", "Bearer " + token("analyst"))
                .build();
        HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
        assertThat(answer.headers().map().keySet())
                .noneMatch(name -> name.toLowerCase(Locale.ROOT).startsWith("access-control-"))
                .noneMatch(name -> name.equalsIgnoreCase("set-cookie"));
    }
}
