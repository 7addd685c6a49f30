package chat.persistence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import chat.log.rabbit.RabbitLogSettings;
import chat.log.rabbit.RabbitRoomLog;
import chat.nodes.Ports;
import chat.nodes.RabbitNode;
import chat.nodes.RabbitSettings;
import chat.testing.Needs;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** The program as it runs in production, on a real RabbitMQ and a real PostgreSQL. */
@Needs("rabbitmq")
class PersistenceConsumerIT {
    private static final Duration SOON = Duration.ofMinutes(2);

    @TempDir
    static Path directory;

    private static RabbitNode rabbit;
    private static RabbitRoomLog log;

    private final int managementPort = Ports.free();

    @BeforeAll
    static void begin() {
        Database.empty();
        rabbit = new RabbitNode(RabbitSettings.in(directory)).start();
        log = new RabbitRoomLog(
                new RabbitLogSettings(URI.create(rabbit.uri()), 1, "chat", 16, Duration.ofSeconds(5)),
                "writer",
                RabbitRoomLog.Access.READ_AND_WRITE);
    }

    @AfterAll
    static void end() {
        log.close();
        rabbit.close();
    }

    private ConfigurableApplicationContext consumer() {
        return new SpringApplicationBuilder(PersistenceConsumer.class)
                .run(
                        "--spring.config.name=persistence-consumer",
                        "--server.port=0",
                        "--server.address=127.0.0.1",
                        "--chat.identity.mode=open",
                        "--management.server.port=" + managementPort,
                        "--chat.rabbitmq.uri=" + rabbit.uri(),
                        "--chat.rabbitmq.partitions=1",
                        "--chat.postgres.url=" + Database.node().jdbcUrl(),
                        "--chat.postgres.user=" + Database.node().user(),
                        "--chat.postgres.password=" + Database.node().password());
    }

    private static void awaitStored(Writer writer) {
        TreeMap<String, String> expected = new TreeMap<>();
        writer.accepted().forEach((id, position) -> expected.put(id.toString(), position.toString()));
        await().atMost(SOON).ignoreExceptions().untilAsserted(() -> {
            TreeMap<String, String> rows = new TreeMap<>();
            for (String row : Database.column("SELECT message_id || ' ' || position FROM messages"))
                rows.put(row.substring(0, 36), row.substring(37));
            assertThat(rows).isEqualTo(expected);
        });
    }

    @Test
    void everythingIsStoredOnceOverRestartsOfTheConsumerAndOfTheBroker() throws Exception {
        try (Writer writer = new Writer(log, 0).awaitStarted();
                StoredNotifications notifications = new StoredNotifications(log, 0)) {
            for (int i = 0; i < 2000; i++) writer.say("7", "before " + i);
            try (ConfigurableApplicationContext consumer = consumer()) {
                assertThat(consumer.isRunning()).isTrue();
                awaitStored(writer);
            }
            for (int i = 0; i < 2000; i++) writer.say("7", "while away " + i);
            try (ConfigurableApplicationContext consumer = consumer()) {
                assertThat(consumer.isRunning()).isTrue();
                awaitStored(writer);
                rabbit.stop();
                rabbit.start();
                await().atMost(SOON).until(writer::available);
                for (int i = 0; i < 2000; i++) writer.say("7", "after " + i);
                awaitStored(writer);
                long last = Collections.max(writer.accepted().values());
                await().atMost(SOON).until(() -> notifications.position() >= last);
                assertThat(notifications.stale()).isEmpty();
                assertThat(check()).contains("\"equal\":true").contains("\"messages\":6000");
                assertThat(metrics())
                        .contains("persistence_flushes_total{cause=\"size\"}")
                        .contains("persistence_batch_size_messages_sum")
                        .contains("persistence_lag_seconds{partition=\"0\"} 0.0")
                        .contains("hikaricp_connections_active{pool=\"writing\"}")
                        .contains("hikaricp_connections_active{pool=\"aggregating\"}")
                        .contains("persistence_rollup_messages_total")
                        .contains("persistence_rollup_age_seconds")
                        .contains("persistence_stored_total 4000.0")
                        .contains("persistence_duplicates_total 0.0");
            }
        }
        assertThat(Database.column("SELECT reason FROM log_gap")).isEmpty();
        assertThat(Database.column("SELECT reason FROM dead_letter")).isEmpty();
    }

    private String check() throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            URI uri = URI.create("http://127.0.0.1:" + managementPort + "/actuator/rollupcheck");
            HttpRequest request = HttpRequest.newBuilder(uri)
                    .POST(HttpRequest.BodyPublishers.noBody())
                    .build();
            return client.send(request, HttpResponse.BodyHandlers.ofString()).body();
        }
    }

    private String metrics() throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            URI uri = URI.create("http://127.0.0.1:" + managementPort + "/actuator/prometheus");
            return client.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
                    .body();
        }
    }
}
