package chat.persistence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import chat.kit.web.KnownPaths;
import chat.persistence.ingest.Ingest;
import chat.testing.HttpTable;
import chat.testing.RawHttp;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** Every path of the consumer, as clients, proxies and caches ask for it. */
class HttpTableIT {
    private static final Map<String, String> EXAMPLES = Map.of(
            "/api/rooms/{roomId}/messages", "/api/rooms/7/messages",
            "/api/users/{userId}/messages", "/api/users/7/messages",
            "/api/users/{userId}/rooms", "/api/users/7/rooms",
            "/api/dead-letters/{id}", "/api/dead-letters/1",
            "/api/dead-letters/{id}/replay", "/api/dead-letters/1/replay",
            "/api/dead-letters/{id}/discard", "/api/dead-letters/1/discard");

    private static ConfigurableApplicationContext application;
    private static HttpTable table;

    @BeforeAll
    static void begin() throws Exception {
        Database.empty();
        application = new SpringApplicationBuilder(HistoryIT.Host.class)
                .properties("spring.config.name=persistence-consumer")
                .run(
                        "--server.port=0",
                        "--server.address=127.0.0.1",
                        "--management.server.port=0",
                        "--chat.identity.mode=open",
                        "--chat.postgres.url=" + Database.node().jdbcUrl(),
                        "--chat.postgres.user=" + Database.node().user(),
                        "--chat.postgres.password=" + Database.node().password());
        await().until(() -> application.getBean(Ingest.class).health().isUp());
        Database.execute("INSERT INTO dead_letter (partition, position, reason, bytes) VALUES (0, 1, 'a reason', '')");
        table = new HttpTable(
                port("local.server.port"), application.getBean(KnownPaths.class).methods(), EXAMPLES);
    }

    @AfterAll
    static void end() {
        application.close();
    }

    static Stream<HttpTable.Row> rows() {
        return table.rows();
    }

    @ParameterizedTest
    @MethodSource("rows")
    void everyPathFollowsHttp(HttpTable.Row row) throws IOException {
        table.assertRight(row);
    }

    @Test
    void anotherHostIsMisdirectedOnEveryPort() throws IOException {
        for (String port : List.of("local.server.port", "local.management.port"))
            for (String path : List.of("/health", "/actuator/health", "/api/metrics", "/openapi.json", "/nothing"))
                try (RawHttp connection = new RawHttp(port(port))) {
                    RawHttp.Answer answer = connection.ask("GET", path, "Host: evil.example");
                    assertThat(answer.status()).as(port + path).isEqualTo(421);
                    assertThat(answer.toString()).contains("CHAT_ALLOWED_HOSTS");
                }
    }

    private static int port(String property) {
        return Integer.parseInt(
                Objects.requireNonNull(application.getEnvironment().getProperty(property)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"/nothing", "/", "/dashboard/package.json", "/api/nothing", "/api/rooms", "/webjars/x"})
    void otherPathsAreNotFound(String path) throws IOException {
        table.assertUnknown(path);
    }
}
