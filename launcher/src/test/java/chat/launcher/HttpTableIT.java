package chat.launcher;

import chat.kit.web.KnownPaths;
import chat.nodes.PostgresNode;
import chat.nodes.PostgresSettings;
import chat.testing.HttpTable;
import java.io.IOException;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** Requests every path of a chat server and the consumer on one port, as clients, proxies and caches may. */
class HttpTableIT {
    private static PostgresNode postgres;
    private static ConfigurableApplicationContext application;
    private static HttpTable table;

    @BeforeAll
    static void begin() {
        postgres = new PostgresNode(PostgresSettings.inTemporaryDirectory()).start();
        application = new SpringApplicationBuilder(LocalApplication.class)
                .run(
                        "--spring.config.name=confab-local",
                        "--server.port=0",
                        "--management.server.port=0",
                        "--chat.postgres.url=" + postgres.jdbcUrl(),
                        "--chat.postgres.user=" + postgres.user(),
                        "--chat.postgres.password=" + postgres.password());
        int port = Integer.parseInt(
                Objects.requireNonNull(application.getEnvironment().getProperty("local.server.port")));
        table = new HttpTable(
                port,
                application.getBean(KnownPaths.class).methods(),
                Map.of(
                        "/chat/**", "/chat/room",
                        "/api/rooms/{roomId}/messages", "/api/rooms/7/messages",
                        "/api/users/{userId}/messages", "/api/users/7/messages",
                        "/api/users/{userId}/rooms", "/api/users/7/rooms",
                        "/api/dead-letters/{id}", "/api/dead-letters/x",
                        "/api/dead-letters/{id}/replay", "/api/dead-letters/x/replay",
                        "/api/dead-letters/{id}/discard", "/api/dead-letters/x/discard"));
    }

    @AfterAll
    static void end() {
        application.close();
        postgres.close();
    }

    static Stream<HttpTable.Row> rows() {
        return table.rows();
    }

    @ParameterizedTest
    @MethodSource("rows")
    void everyPathConformsToHttp(HttpTable.Row row) throws IOException {
        table.assertRight(row);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/nothing", "/api/nothing", "/actuator/health", "/webjars/x"})
    void otherPathsAreNotFound(String path) throws IOException {
        table.assertUnknown(path);
    }
}
