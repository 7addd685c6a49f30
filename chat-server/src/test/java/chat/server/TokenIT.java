package chat.server;

import static org.assertj.core.api.Assertions.assertThat;

import chat.kit.identity.Claims;
import chat.kit.identity.SigningKey;
import chat.log.InMemoryRoomLog;
import chat.protocol.CloseCode;
import chat.protocol.Member;
import chat.server.session.SessionCounters;
import chat.testing.RawHttp;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A server that asks for tokens, over real sockets. */
class TokenIT {
    @TempDir
    static Path directory;

    private static InMemoryRoomLog log;
    private static TestTokens tokens;
    private static TestServer server;
    private static ByteArrayOutputStream printed;
    private static PrintStream usual;

    @BeforeAll
    static void start() throws Exception {
        usual = System.out;
        printed = new ByteArrayOutputStream();
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        log = new InMemoryRoomLog(1, 64 << 20, Clock.systemUTC());
        tokens = new TestTokens(directory);
        server = TestServer.start(
                log,
                tokens.settings(
                        "chat.identity.public-rooms=public-*",
                        "chat.server.socket.ping-interval=1s",
                        "logging.level.root=debug"));
    }

    @AfterAll
    static void stop() {
        server.close();
        log.close();
        System.setOut(usual);
    }

    private static Guest guest(String room, int user, String token) {
        return Guest.connect(server, room, user, "confab.v1", "bearer." + token);
    }

    private static String handshake(String path, String... headers) throws Exception {
        return RawSocket.handshake(server, path, headers);
    }

    private static String bearer(String token) {
        return "Authorization: Bearer " + token;
    }

    @Test
    void validTokenIsAcceptedInHeaderAndSubprotocol() throws Exception {
        String token = tokens.of(1, "*");
        assertThat(handshake("/chat/room", bearer(token))).startsWith("HTTP/1.1 101");
        assertThat(handshake("/chat/room", "Sec-WebSocket-Protocol: confab.v1, bearer." + token))
                .startsWith("HTTP/1.1 101")
                .containsIgnoringCase("\r\nSec-WebSocket-Protocol: confab.v1\r\n")
                .doesNotContain("bearer");
        // Without confab.v1 no subprotocol is selected, but the token counts.
        assertThat(handshake("/chat/room", "Sec-WebSocket-Protocol: bearer." + token))
                .startsWith("HTTP/1.1 101")
                .doesNotContainIgnoringCase("Sec-WebSocket-Protocol");
    }

    static Stream<String> badTokens() {
        String good = tokens.of(1, "*");
        String forged = SigningKey.read(SigningKey.make().secret())
                .sign("{\"iss\":\"" + TestTokens.ISSUER + "\",\"aud\":\"confab\",\"sub\":\"1\",\"exp\":9999999999}");
        return Stream.of(
                "hello",
                good.substring(0, good.length() - 4),
                forged,
                tokens.expired(1),
                tokens.sign("{\"iss\":\"https://evil.example\",\"aud\":\"confab\",\"sub\":\"1\",\"exp\":9999999999}"),
                tokens.sign(
                        "{\"iss\":\"" + TestTokens.ISSUER + "\",\"aud\":\"other\",\"sub\":\"1\",\"exp\":9999999999}"),
                tokens.sign("{\"iss\":\"" + TestTokens.ISSUER + "\",\"aud\":\"confab\",\"exp\":9999999999}"),
                "x".repeat(6200));
    }

    @ParameterizedTest
    @MethodSource("badTokens")
    void invalidTokenIsRejected(String token) throws Exception {
        for (String header : List.of(bearer(token), "Sec-WebSocket-Protocol: confab.v1, bearer." + token))
            assertThat(handshake("/chat/room", header))
                    .startsWith("HTTP/1.1 401")
                    .contains("WWW-Authenticate: Bearer")
                    .containsIgnoringCase("\r\nConnection: close\r\n");
    }

    @Test
    void withoutATokenThereIsNoSocketOnAnyPathAndNoSession() throws Exception {
        // Of its own: what other tests have opened may be counted behind the answer that they have read.
        try (TestServer lonely = TestServer.start(log, tokens.settings())) {
            for (String path : List.of("/chat/room", "/%63hat/room", "/", "/health"))
                assertThat(RawSocket.handshake(lonely, path))
                        .startsWith("HTTP/1.1 401")
                        .contains("WWW-Authenticate: Bearer realm");
            for (String path : List.of("//chat/room", "/chat//room", "/x/../chat/room", "/chat/room;x=1"))
                assertThat(RawSocket.handshake(lonely, path))
                        .startsWith("HTTP/1.1 40"); // some of them are no path at all to Spring Security
            assertThat(RawSocket.handshake(lonely, "/chat/room", "Authorization: Basic YTpi"))
                    .startsWith("HTTP/1.1 401");
            assertThat(lonely.bean(SessionCounters.class).opened.sum()).isZero();
        }
    }

    @Test
    void tokenAboveTheHeaderLimitIsRejectedUnread() throws Exception {
        assertThat(handshake("/chat/room", bearer("x".repeat(9000)))).startsWith("HTTP/1.1 431");
    }

    @Test
    void tokenInTheUrlIsRejectedEvenIfValid() throws Exception {
        String token = tokens.of(1, "*");
        assertThat(handshake("/chat/room?access_token=" + token)).startsWith("HTTP/1.1 400");
        assertThat(handshake("/chat/room?x=" + token, bearer(token))).startsWith("HTTP/1.1 400");
    }

    @Test
    void pageAndHealthNeedNoToken() throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            for (String path : List.of("/", "/health", "/js/main.js"))
                assertThat(get(client, server.page(path)).statusCode()).isEqualTo(200);
        }
    }

    private static HttpResponse<String> get(HttpClient client, URI uri) throws Exception {
        return client.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void tokenDeterminesTheUser() {
        try (Guest guest = guest("public-who", 7, tokens.of(7))) {
            guest.say("{\"messageType\":\"JOIN\",\"timestamp\":\"2026-11-20T10:00:00Z\"}");
            JsonNode welcome = guest.awaitFrame("WELCOME", any -> true);
            assertThat(welcome.get("expiresAt").longValue()).isGreaterThan(System.currentTimeMillis());
            guest.say("{\"messageType\":\"TEXT\",\"message\":\"mine\",\"timestamp\":\"2026-11-20T10:00:00Z\"}");
            guest.awaitText("mine");
            assertThat(guest.heard()).allMatch(heard -> heard.userId().equals("7"));
        }
        try (Guest liar = guest("public-who", 8, tokens.of(7))) {
            liar.join();
            assertThat(liar.error().get("code").asString()).isEqualTo("FORBIDDEN");
            liar.say("{\"messageType\":\"JOIN\",\"username\":\"another\",\"timestamp\":\"2026-11-20T10:00:00Z\"}");
            liar.await("a second refusal", () -> liar.frames("ERROR").size() == 2);
            assertThat(liar.frames("WELCOME")).isEmpty();
        }
    }

    private static String named(@Nullable String name, @Nullable String username) {
        return tokens.sign(new Claims(
                        TestTokens.ISSUER, "confab", "auth0|\"7\"", name, username, List.of(), List.of("*"), List.of())
                .json(Instant.now(), Duration.ofMinutes(10)));
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "none",
            value = {
                "Alice Example, none, Alice Example",
                "mary-jane, none, mary-jane",
                "Zo\u00eb, none, Zo\u00eb",
                "Al, none, Al",
                "abcdefghijklmnopqrstu, none, abcdefghijklmnopqrstu",
                "'', none, auth0|\"7\"",
                "none, none, auth0|\"7\"",
                "'', mary-jane, mary-jane"
            })
    void displayNameComesFromTheToken(@Nullable String name, @Nullable String username, String shown) {
        String room = "named-" + UUID.randomUUID();
        String token = named(name, username);
        for (String chosen : List.of(
                "\"username\":\"admin\"", "\"username\":\"alice42\"", "\"displayName\":\"Admin\"", "\"userId\":\"1\""))
            try (Guest liar = guest(room, 7, token)) {
                liar.say("{\"messageType\":\"JOIN\"," + chosen + ",\"timestamp\":\"2026-11-20T10:00:00Z\"}");
                assertThat(liar.error().get("code").asString()).as(chosen).isEqualTo("FORBIDDEN");
            }
        try (Guest guest = guest(room, 7, token)) {
            String derived = Member.derivedUsername("auth0|\"7\"");
            guest.say("{\"messageType\":\"JOIN\",\"username\":\"" + derived
                    + "\",\"timestamp\":\"2026-11-20T10:00:00Z\"}");
            JsonNode welcome = guest.awaitFrame("WELCOME", any -> true);
            JsonNode you = welcome.get("you");
            assertThat(you.get("userId").asString()).isEqualTo("auth0|\"7\"");
            assertThat(you.get("username").asString()).isEqualTo(derived);
            assertThat(you.get("displayName").asString()).isEqualTo(shown);
            assertThat(welcome.get("limits").get("maxMessageLength").asInt()).isEqualTo(4000);
            guest.say("{\"messageType\":\"TEXT\",\"message\":\"" + "x".repeat(4000)
                    + "\",\"timestamp\":\"2026-11-20T10:00:00Z\"}");
            guest.awaitText("x".repeat(4000));
            guest.say("{\"messageType\":\"MEMBERS\"}");
            JsonNode roster =
                    guest.awaitFrame("MEMBERS", frame -> frame.has("roster")).get("roster");
            assertThat(roster.get(0).get("displayName").asString()).isEqualTo(shown);
            JsonNode text = guest.frames("MESSAGES").getLast().get("messages").get(0);
            assertThat(text.get("displayName").asString()).isEqualTo(shown);
        }
    }

    @Test
    void preferredUsernameIsTheUsernameWhereItFits() {
        try (Guest guest = guest("named", 7, named("Zo\u00eb", "alice42"))) {
            guest.say("{\"messageType\":\"JOIN\",\"username\":\"alice42\",\"displayName\":\"Zo\u00eb\","
                    + "\"timestamp\":\"2026-11-20T10:00:00Z\"}");
            JsonNode you = guest.awaitFrame("WELCOME", any -> true).get("you");
            assertThat(you.get("username").asString()).isEqualTo("alice42");
            assertThat(you.get("displayName").asString()).isEqualTo("Zo\u00eb");
        }
    }

    @Test
    void tokenWithAnInvalidNameIsRejectedWithTheReason() throws Exception {
        assertThat(RawSocket.refusal(server, "/chat/room", bearer(named("a\u202eb", "alice42"))))
                .startsWith("HTTP/1.1 401")
                .contains("\"reason\":\"token-name\"")
                .contains("name must not contain bidirectional overrides");
        try (Guest guest = guest("named", 7, named("Zo\u00eb", "alice42"))) {
            guest.say(TestTokens.frame(named("\u200b", "alice42")));
            assertThat(guest.error().get("errors").toString())
                    .contains("the token's name must contain at least one visible character");
        }
    }

    @Test
    void roomsAreThoseOfTheTokenAndThePublicOnes() {
        String token = tokens.of(3, Duration.ofMinutes(10), List.of("news"), List.of("team-*"));
        try (Guest guest = guest("team-a", 3, token)) {
            guest.joined();
            guest.join("public-1");
            guest.join("news");
            guest.await("three rooms", () -> guest.frames("WELCOME").size() == 3);
            guest.join("other");
            JsonNode refused = guest.error();
            assertThat(refused.get("code").asString()).isEqualTo("FORBIDDEN");
            assertThat(refused.get("roomId").asString()).isEqualTo("other");
            assertThat(refused.get("retryable").asBoolean()).isFalse();
            guest.say("{\"messageType\":\"TEXT\",\"roomId\":\"news\",\"message\":\"me too\"," + guest.identity() + "}");
            guest.await("a refusal", () -> guest.frames("ERROR").size() == 2);
            assertThat(guest.frames("ERROR").get(1).get("code").asString()).isEqualTo("FORBIDDEN");
            UUID allowed = guest.text("here I may");
            guest.awaitAck(allowed);
            assertThat(guest.texts()).containsExactly("here I may");
        }
    }

    @Test
    void lostPermissionRejectsResume() {
        long position;
        try (Guest before = guest("team-x", 4, tokens.of(4, "team-*"))) {
            before.joined();
            UUID id = before.text("still in");
            before.awaitAck(id);
            position = before.position();
        }
        try (Guest after = guest("team-x", 4, tokens.of(4, "lobby"))) {
            after.resume(position - 1);
            assertThat(after.error().get("code").asString()).isEqualTo("FORBIDDEN");
            assertThat(after.heard()).isEmpty();
        }
    }

    @Test
    void renewedTokenKeepsTheSocketAndLeavesForbiddenRooms() {
        try (Guest watcher = guest("team-1", 6, tokens.of(6, "*"));
                Guest guest = guest("team-1", 5, tokens.of(5, "team-*", "lobby"))) {
            watcher.joined();
            guest.joined();
            guest.join("lobby");
            guest.await("both rooms", () -> guest.frames("WELCOME").size() == 2);
            guest.say(TestTokens.frame(tokens.of(5, Duration.ofHours(2), List.of(), List.of("lobby"))));
            JsonNode taken = guest.awaitFrame("TOKEN", any -> true);
            assertThat(taken.get("expiresAt").longValue())
                    .isGreaterThan(
                            System.currentTimeMillis() + Duration.ofMinutes(100).toMillis());
            JsonNode left = guest.error();
            assertThat(left.get("code").asString()).isEqualTo("FORBIDDEN");
            assertThat(left.get("roomId").asString()).isEqualTo("team-1");
            watcher.await(
                    "the LEAVE",
                    () -> watcher.heard().stream()
                            .anyMatch(heard -> heard.type().equals("LEAVE")
                                    && heard.userId().equals("5")));
            guest.text("not here any more");
            guest.await("a refusal", () -> guest.frames("ERROR").size() == 2);
            assertThat(guest.frames("ERROR").get(1).get("code").asString()).isEqualTo("NOT_JOINED");
            guest.say("{\"messageType\":\"TEXT\",\"roomId\":\"lobby\",\"message\":\"still here\"," + guest.identity()
                    + "}");
            guest.awaitText("still here");
        }
    }

    @Test
    void plainRequestReportsTheTokenError() throws Exception {
        try (RawHttp connection = new RawHttp(server.port())) {
            RawHttp.Answer missing = connection.ask("GET", "/chat/room", "Host: any.example");
            assertThat(missing.status()).isEqualTo(401);
            assertThat(missing.header("access-control-allow-origin")).isEqualTo("*");
            assertThat(missing.list("access-control-expose-headers"))
                    .containsExactly("Retry-After", "WWW-Authenticate");
            assertThat(JsonMapper.shared()
                            .readTree(missing.body())
                            .get("reason")
                            .asString())
                    .isEqualTo("token-missing");
        }
        try (RawHttp connection = new RawHttp(server.port())) {
            String expired = tokens.expired(1);
            RawHttp.Answer answer = connection.ask("GET", "/chat/room", bearer(expired));
            assertThat(answer.status()).isEqualTo(401);
            assertThat(JsonMapper.shared().readTree(answer.body()).get("reason").asString())
                    .isEqualTo("token-expired");
        }
        try (RawHttp connection = new RawHttp(server.port())) {
            RawHttp.Answer preflight = connection.ask("OPTIONS", "/chat/room", "Origin: https://www.example");
            assertThat(preflight.status()).isEqualTo(204);
            assertThat(preflight.header("access-control-allow-headers")).isEqualToIgnoringCase("authorization");
            assertThat(connection
                            .ask("GET", "/chat/room", bearer(tokens.of(1, "*")))
                            .status())
                    .isEqualTo(426);
        }
    }

    @Test
    void everyHostReachesThePublicPortAndNoForeignOneTheManagementPort() throws Exception {
        for (String path : List.of("/", "/health"))
            try (RawHttp connection = new RawHttp(server.port())) {
                assertThat(connection.ask("GET", path, "Host: any.example").status())
                        .as(path)
                        .isEqualTo(200);
            }
        for (String path : List.of("/actuator/prometheus", "/actuator/health", "/nothing"))
            try (RawHttp connection = new RawHttp(server.managementPort())) {
                assertThat(connection.ask("GET", path, "Host: evil.example").status())
                        .as(path)
                        .isEqualTo(421);
            }
        try (RawHttp connection = new RawHttp(server.managementPort())) {
            assertThat(connection.ask("GET", "/actuator/prometheus").status()).isEqualTo(200);
        }
    }

    @Test
    void catchUpEndsWithTheTokenThatAllowedIt() throws Exception {
        long before;
        try (Guest writer = guest("team-7", 70, tokens.of(70, "team-*"))) {
            writer.joined();
            before = writer.position();
            for (int i = 0; i < 2_000; i++) writer.text("x".repeat(400) + i);
            writer.awaitAck(writer.text("the last"));
        }
        try (RawSocket reader =
                RawSocket.connect(server.port(), "/chat/lobby", 4 * 1024, bearer(tokens.of(71, "team-*", "lobby")))) {
            reader.text("{\"messageType\":\"JOIN\",\"roomId\":\"team-7\",\"resume\":\"" + before
                    + "\",\"timestamp\":\"2026-11-20T10:00:00Z\"}");
            assertThat(type(json(reader))).isEqualTo("WELCOME");
            reader.text(TestTokens.frame(tokens.of(71, "lobby")));
            int messages = 0;
            for (JsonNode frame = json(reader); !type(frame).equals("ERROR"); frame = json(reader))
                messages += frame.path("messages").size();
            assertThat(messages).as("messages before the refusal").isLessThan(2_000);
            assertThat(type(json(reader))).isEqualTo("TOKEN");
            reader.text("{\"messageType\":\"JOIN\",\"roomId\":\"lobby\",\"timestamp\":\"2026-11-20T10:00:00Z\"}");
            // Behind everything that was on its way.
            JsonNode next = json(reader);
            assertThat(type(next)).isEqualTo("WELCOME");
            assertThat(next.get("roomId").asString()).isEqualTo("lobby");
        }
    }

    private static String type(JsonNode frame) {
        return frame.get("type").asString();
    }

    private static JsonNode json(RawSocket socket) throws Exception {
        RawSocket.Frame frame = socket.read();
        while (frame.opcode() != RawSocket.TEXT) frame = socket.read();
        return JsonMapper.shared().readTree(frame.payload());
    }

    @Test
    void renamedUserKeepsItsNameInJoinedRooms() {
        try (Guest guest = guest("team-2", 11, tokens.of(11, "team-*"))) {
            guest.joined();
            guest.say(TestTokens.frame(tokens.named("renamed", 11, Duration.ofHours(1), List.of(), List.of("team-*"))));
            guest.awaitFrame("TOKEN", any -> true);
            guest.say("{\"messageType\":\"TEXT\",\"message\":\"as before\",\"timestamp\":\"2026-11-20T10:00:00Z\"}");
            guest.awaitText("as before");
            guest.say("{\"messageType\":\"JOIN\",\"roomId\":\"team-3\",\"timestamp\":\"2026-11-20T10:00:00Z\"}");
            guest.await("the other room", () -> guest.frames("WELCOME").size() == 2);
            assertThat(guest.frames("ERROR")).isEmpty();
        }
    }

    @Test
    void invalidRenewalChangesNothing() {
        try (Guest guest = guest("public-r", 9, tokens.of(9))) {
            guest.joined();
            guest.say(TestTokens.frame(tokens.of(10, "*")));
            assertThat(guest.error().get("errors").toString()).contains("another user");
            guest.say(TestTokens.frame("hello"));
            guest.await("a second refusal", () -> guest.frames("ERROR").size() == 2);
            assertThat(guest.frames("ERROR"))
                    .allMatch(error -> error.get("code").asString().equals("INVALID"));
            guest.awaitAck(guest.text("as before"));
        }
    }

    @Test
    void whenTheTokenHasEndedTheSocketIsClosed() {
        try (TestServer strict = TestServer.start(
                        log, tokens.settings("chat.identity.leeway=0s", "chat.server.socket.ping-interval=1s"));
                Guest guest = Guest.connect(
                        strict,
                        "room",
                        1,
                        "confab.v1",
                        "bearer." + tokens.of(1, Duration.ofSeconds(8), List.of(), List.of("*")));
                Guest renewed = Guest.connect(
                        strict,
                        "room",
                        2,
                        "confab.v1",
                        "bearer." + tokens.of(2, Duration.ofSeconds(8), List.of(), List.of("*")))) {
            guest.joined();
            renewed.joined();
            renewed.say(TestTokens.frame(tokens.of(2, "*")));
            renewed.awaitFrame("TOKEN", any -> true);
            assertThat(guest.closeCode()).isEqualTo(CloseCode.TOKEN_EXPIRED.number());
            renewed.awaitAck(renewed.text("still here"));
        }
    }

    @Test
    void refusalsAreCountedByReasonAndNoTokenIsInAnyOutput() throws Exception {
        String token = tokens.of(77, "*");
        handshake("/chat/room?access_token=" + token);
        handshake("/chat/room", bearer(token + "x"));
        handshake("/chat/room");
        try (Guest guest = guest("public-out", 77, token)) {
            guest.joined();
            guest.say(TestTokens.frame(token));
            guest.awaitFrame("TOKEN", any -> true);
        }
        try (HttpClient client = HttpClient.newHttpClient()) {
            String metrics = get(
                            client, URI.create("http://127.0.0.1:" + server.managementPort() + "/actuator/prometheus"))
                    .body();
            for (String reason : List.of("token-in-query", "token-signature", "token-missing"))
                assertThat(metrics.lines()
                                .filter(line -> line.startsWith("chat_refused_total{reason=\"" + reason + "\"}"))
                                .map(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ')))))
                        .singleElement()
                        .satisfies(count -> assertThat(count).isGreaterThanOrEqualTo(1));
            String signature = token.substring(token.lastIndexOf('.') + 1);
            assertThat(metrics).doesNotContain(signature);
            assertThat(printed.toString(StandardCharsets.UTF_8)).doesNotContain(signature);
        }
    }
}
