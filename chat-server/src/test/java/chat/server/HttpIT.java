package chat.server;

import static org.assertj.core.api.Assertions.assertThat;

import chat.log.InMemoryRoomLog;
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
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What a chat server says over HTTP, and whom it upgrades. */
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
                "chat.server.allowed-origins=https://a.example");
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
    void thePageIsServed() throws Exception {
        assertThat(get(server.page("/")).body()).containsIgnoringCase("<!doctype html>");
    }

    @Test
    void theClientForBrowsersIsServedAndSmall() throws Exception {
        HttpResponse<String> answer = get(server.page("/confab.js"));
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("Content-Type").orElseThrow()).startsWith("text/javascript");
        assertThat(answer.body()).isEqualTo(Files.readString(Path.of("..", "client-js", "confab.js")));
        assertThat(get(server.page("/confab.d.ts")).body()).contains("export class ConfabClient");

        ByteArrayOutputStream compressed = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(compressed)) {
            gzip.write(answer.body().getBytes(StandardCharsets.UTF_8));
        }
        assertThat(compressed.size()).isLessThan(10 * 1024);
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
    void aSocketIsNotMeasuredAsARequestThatLasts() throws Exception {
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
    void aPlainRequestIsNotUpgraded() throws Exception {
        assertThat(get(server.page("/chat/room")).statusCode()).isEqualTo(400);
        assertThat(get(server.page("/nothing")).statusCode()).isEqualTo(404);
    }

    @Test
    void compressionIsNotOffered() throws Exception {
        assertThat(RawSocket.handshake(server, "/chat/room", "Sec-WebSocket-Extensions: permessage-deflate"))
                .startsWith("HTTP/1.1 101")
                .doesNotContain("deflate");
    }
}
