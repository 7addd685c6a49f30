package chat.server;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import chat.log.InMemoryRoomLog;
import chat.testing.LoggedLines;
import chat.testing.RawHttp;
import chat.testing.RawHttp.Answer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Arrays;
import java.util.zip.GZIPOutputStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** HTTP responses of a chat server, and its upgrades. */
class HttpIT {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private static InMemoryRoomLog log;
    private static TestServer server;

    @BeforeAll
    static void start() {
        log = new InMemoryRoomLog(1, 64 << 20, Clock.systemUTC());
        server = TestServer.start(
                log,
                "chat.server.id=one",
                "chat.server.max-connections=7",
                "chat.server.allowed-origins=https://a.example",
                "chat.web.allowed-hosts=chat.example");
    }

    @AfterAll
    static void stop() {
        server.close();
        log.close();
    }

    private static HttpResponse<String> get(URI uri) throws IOException, InterruptedException {
        return CLIENT.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void healthTellsCapacity() throws Exception {
        HttpResponse<String> answer = get(server.page("/health"));
        assertThat(answer.statusCode()).isEqualTo(200);
        JsonNode health = JsonMapper.shared().readTree(answer.body());
        assertThat(health.get("status").asString()).isEqualTo("UP");
        assertThat(health.get("serverId").asString()).isEqualTo("one");
        assertThat(health.get("capacity").toString()).isEqualTo("{\"current\":0,\"max\":7,\"healthy\":true}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/health", "/js/main.js"})
    void everyAnswerForbidsForeignScriptsAndStaleModules(String path) throws Exception {
        HttpResponse<String> answer = get(server.page(path));
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("Content-Security-Policy").orElseThrow())
                .contains("script-src 'self'")
                .contains("frame-ancestors 'none'");
        assertThat(answer.headers().firstValue("X-Content-Type-Options")).hasValue("nosniff");
        assertThat(answer.headers().firstValue("Cache-Control")).hasValue("no-cache");
    }

    @Test
    void pageIsServed() throws Exception {
        assertThat(get(server.page("/")).body()).containsIgnoringCase("<!doctype html>");
    }

    @Test
    void browserClientIsServedAndSmall() throws Exception {
        HttpResponse<String> answer = get(server.page("/confab.js"));
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("Content-Type").orElseThrow()).startsWith("text/javascript");
        assertThat(answer.body()).isEqualTo(Files.readString(Path.of("..", "client-js", "confab.js")));
        assertThat(get(server.page("/confab.d.ts")).body()).contains("export class ConfabClient");

        ByteArrayOutputStream compressed = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(compressed)) {
            gzip.write(answer.body().getBytes(StandardCharsets.UTF_8));
        }
        assertThat(compressed.size()).isLessThan(14 * 1024);
    }

    @Test
    void metricsAreOnThePortForManagementOnly() throws Exception {
        URI metrics = URI.create("http://127.0.0.1:" + server.managementPort() + "/actuator/prometheus");
        HttpResponse<String> answer = get(metrics);
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body()).contains("chat_sessions 0.0").contains("chat_sockets_closed_total{code=\"SLOW\"}");
        assertThat(get(server.page("/actuator/prometheus")).statusCode()).isEqualTo(404);
        assertThat(get(server.page("/actuator/health")).statusCode()).isEqualTo(404);
        URI environment = URI.create("http://127.0.0.1:" + server.managementPort() + "/actuator/env");
        assertThat(get(environment).statusCode()).isEqualTo(404);
    }

    @Test
    void socketIsNotMeasuredAsALongRequest() throws Exception {
        assertThat(RawSocket.handshake(server, "/chat/room")).startsWith("HTTP/1.1 101");
        URI metrics = URI.create("http://127.0.0.1:" + server.managementPort() + "/actuator/prometheus");
        assertThat(get(metrics).body()).contains("chat_sessions").doesNotContain("http_server_requests");
    }

    @Test
    void pagesOfOtherSitesGetNoSocket() throws Exception {
        String own = "Origin: http://127.0.0.1:" + server.port();
        assertThat(RawSocket.handshake(server, "/chat/room", own)).startsWith("HTTP/1.1 101");
        assertThat(RawSocket.handshake(server, "/chat/room", "Origin: https://a.example"))
                .startsWith("HTTP/1.1 101");
        assertThat(RawSocket.handshake(server, "/chat/room")).startsWith("HTTP/1.1 101");
        for (String path : new String[] {"/chat/room", "/%63hat/room", "//chat/room", "/chat//room", "/x/../chat/room"})
            for (String origin : new String[] {"https://b.example", "null", "http://127.0.0.1", "%%%"})
                assertThat(RawSocket.handshake(server, path, "Origin: " + origin))
                        .startsWith("HTTP/1.1 403");
    }

    @Test
    void plainRequestReceivesTheStatusOfAnUpgrade() throws Exception {
        try (RawHttp connection = new RawHttp(server.port())) {
            Answer welcome = connection.ask("GET", "/chat/room");
            assertThat(welcome.status()).isEqualTo(426);
            assertThat(welcome.header("upgrade")).isEqualTo("websocket");
            assertThat(welcome.header("access-control-allow-origin")).isEqualTo("*");
            double before = server.refused("origin");
            Answer foreign = connection.ask("GET", "/chat/room", "Origin: https://b.example");
            assertThat(foreign.status()).isEqualTo(403);
            assertThat(foreign.header("access-control-allow-origin")).isEqualTo("*");
            JsonNode problem = JsonMapper.shared().readTree(foreign.body());
            assertThat(problem.get("reason").asString()).isEqualTo("origin");
            assertThat(problem.get("detail").asString())
                    .contains("https://b.example", "CHAT_SERVER_ALLOWED_ORIGINS", "chat.server.allowed-origins");
            assertThat(server.refused("origin")).as("only upgrades are counted").isEqualTo(before);
        }
    }

    @Test
    void rejectedOriginIsLogged() throws Exception {
        try (LoggedLines lines = LoggedLines.of("chat.server.admission", Level.INFO)) {
            // One line a second: what another test was refused may have taken this second's.
            Awaitility.await()
                    .until(() -> RawSocket.handshake(server, "/chat/room", "Origin: https://named.example")
                                    .startsWith("HTTP/1.1 403")
                            && lines.texts().stream()
                                    .anyMatch(line -> line.contains("https://named.example")
                                            && line.contains("CHAT_SERVER_ALLOWED_ORIGINS")));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "chat.example:443 https://chat.example",
                "chat.example https://chat.example",
                "chat.example:80 http://chat.example",
                "CHAT.example HTTPS://chat.EXAMPLE:443",
                "127.0.0.1 http://127.0.0.1:80"
            })
    void ownOriginIsComparedAsAnOrigin(String hostAndOrigin) throws Exception {
        String[] parts = hostAndOrigin.split(" ", 2);
        assertThat(upgradeStatus("Host: " + parts[0], "Origin: " + parts[1])).isEqualTo(101);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "capacitor://chat.example",
                "ftp://chat.example",
                "http://chat.example:443",
                "https://chat.example:80"
            })
    void originWithAnotherSchemeIsForeign(String origin) throws Exception {
        assertThat(upgradeStatus("Host: chat.example", "Origin: " + origin)).isEqualTo(403);
    }

    private static int upgradeStatus(String... headers) throws IOException {
        String[] all = Arrays.copyOf(headers, headers.length + 4);
        all[headers.length] = "Upgrade: websocket";
        all[headers.length + 1] = "Connection: Upgrade";
        all[headers.length + 2] = "Sec-WebSocket-Version: 13";
        all[headers.length + 3] = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==";
        try (RawHttp connection = new RawHttp(server.port())) {
            return connection.ask("GET", "/chat/room", all).status();
        }
    }

    @Test
    void listsOfAnUpgradeMayTakeSeveralLines() throws Exception {
        assertThat(RawSocket.handshake(
                        server, "/chat/room", "Sec-WebSocket-Protocol: other", "Sec-WebSocket-Protocol: confab.v1"))
                .startsWith("HTTP/1.1 101")
                .containsIgnoringCase("\r\nSec-WebSocket-Protocol: confab.v1\r\n");
        try (RawHttp connection = new RawHttp(server.port())) {
            Answer upgraded = connection.ask(
                    "GET",
                    "/chat/room",
                    "Upgrade: h2c",
                    "Upgrade: WebSocket",
                    "Connection: keep-alive",
                    "Connection: UPGRADE",
                    "Sec-WebSocket-Version: 13",
                    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==");
            assertThat(upgraded.status()).isEqualTo(101);
        }
    }

    @Test
    void anotherHostIsMisdirectedOnEveryPort() throws Exception {
        for (int port : new int[] {server.port(), server.managementPort()}) {
            for (String path : new String[] {"/health", "/actuator/health", "/chat/room", "/"})
                for (String host :
                        new String[] {"evil.example", "evil.example:80", "localhost.evil.example", "127.0.0.1.x"})
                    try (RawHttp connection = new RawHttp(port)) {
                        Answer answer = connection.ask("GET", path, "Host: " + host, "Origin: http://" + host);
                        assertThat(answer.status()).as(host + path).isEqualTo(421);
                        assertThat(new String(answer.body(), StandardCharsets.UTF_8))
                                .contains("CHAT_ALLOWED_HOSTS");
                    }
            for (String host :
                    new String[] {"localhost", "LOCALHOST:1", "a.localhost", "[::1]:80", "192.0.2.1", "chat.example"})
                try (RawHttp connection = new RawHttp(port)) {
                    assertThat(connection.ask("GET", "/", "Host: " + host).status())
                            .as(host)
                            .isNotEqualTo(421);
                }
        }
        assertThat(upgradeStatus("Host: evil.example", "Origin: http://evil.example"))
                .isEqualTo(421);
    }

    @Test
    void compressionIsNotOffered() throws Exception {
        assertThat(RawSocket.handshake(server, "/chat/room", "Sec-WebSocket-Extensions: permessage-deflate"))
                .startsWith("HTTP/1.1 101")
                .doesNotContain("deflate");
    }
}
