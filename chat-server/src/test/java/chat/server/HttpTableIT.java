package chat.server;

import static org.assertj.core.api.Assertions.assertThat;

import chat.kit.web.KnownPaths;
import chat.log.InMemoryRoomLog;
import chat.testing.HttpTable;
import chat.testing.RawHttp;
import chat.testing.RawHttp.Answer;
import java.io.IOException;
import java.time.Clock;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every path of a chat server, as clients, proxies and caches ask for it. */
class HttpTableIT {
    private static InMemoryRoomLog log;
    private static TestServer server;
    private static HttpTable table;

    @BeforeAll
    static void start() {
        log = new InMemoryRoomLog(1, 64 << 20, Clock.systemUTC());
        server = TestServer.start(log, "chat.web.cors-origins=https://www.example");
        table = new HttpTable(server.port(), server.bean(KnownPaths.class).methods(), Map.of("/chat/**", "/chat/room"));
    }

    @AfterAll
    static void stop() {
        server.close();
        log.close();
    }

    static Stream<HttpTable.Row> rows() {
        return table.rows();
    }

    @ParameterizedTest
    @MethodSource("rows")
    void everyPathFollowsHttp(HttpTable.Row row) throws IOException {
        table.assertRight(row);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"/nothing", "/js/none.js", "/static/index.html", "/actuator/health", "//confab.js", "/%2e%2e/x"})
    void otherPathsAreNotFound(String path) throws IOException {
        table.assertUnknown(path);
    }

    @Test
    void pageOfAnAllowedOriginImportsTheClient() throws IOException {
        try (RawHttp connection = new RawHttp(server.port())) {
            Answer allowed = connection.ask("GET", "/confab.js", "Origin: HTTPS://www.example:443");
            assertThat(allowed.header("access-control-allow-origin")).isEqualTo("HTTPS://www.example:443");
            assertThat(allowed.list("vary")).contains("Origin");
            Answer other = connection.ask("GET", "/confab.js", "Origin: https://other.example");
            assertThat(other.status()).isEqualTo(200);
            assertThat(other.headers()).doesNotContainKey("access-control-allow-origin");
            assertThat(other.list("vary")).contains("Origin");
        }
    }

    @Test
    void pageOfAnAllowedOriginMayReadWithAToken() throws IOException {
        try (RawHttp connection = new RawHttp(server.port())) {
            Answer preflight = connection.ask(
                    "OPTIONS",
                    "/health",
                    "Origin: https://www.example",
                    "Access-Control-Request-Method: GET",
                    "Access-Control-Request-Headers: authorization");
            assertThat(preflight.status()).isEqualTo(204);
            assertThat(preflight.header("access-control-allow-origin")).isEqualTo("https://www.example");
            assertThat(preflight.list("access-control-allow-methods")).containsExactly("GET", "HEAD");
            assertThat(preflight.header("access-control-allow-headers")).isEqualToIgnoringCase("authorization");
            assertThat(preflight.headers()).doesNotContainKey("access-control-allow-credentials");
        }
    }

    @Test
    void typesAreThoseOfTheFiles() throws IOException {
        try (RawHttp connection = new RawHttp(server.port())) {
            assertThat(connection.ask("GET", "/confab.d.ts").header("content-type"))
                    .isEqualToIgnoringCase("application/typescript;charset=utf-8");
        }
    }
}
