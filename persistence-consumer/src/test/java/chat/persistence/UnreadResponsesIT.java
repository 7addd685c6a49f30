package chat.persistence;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import chat.kit.management.http.HttpSettings;
import chat.persistence.store.PostgresProperties;
import chat.testing.LogWatch;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** Clients that ask for large pages and read none of them hold a bounded amount of memory for a bounded time. */
class UnreadResponsesIT {
    private static final long MEGABYTE = 1 << 20;
    private static final long IN_FLIGHT = 16 * MEGABYTE;
    /** A page of 1,000 messages of 500 characters, each of four bytes, and what stands around them. */
    private static final long PAGE = 5 * MEGABYTE / 2;
    /** That answer questions with the default pool, and event loops. */
    private static final int THREADS = 17 + Runtime.getRuntime().availableProcessors();

    private static final int SOCKETS = 150;
    /** A request for an upgrade that the program does not offer changes nothing. */
    private static final List<String> UPGRADES =
            List.of("", "Connection: Upgrade\r\nUpgrade: h2c\r\n", "Connection: Upgrade\r\nUpgrade: websocket\r\n");

    private static ConfigurableApplicationContext application;
    private static LogWatch complaints;
    private final List<Socket> sockets = new ArrayList<>();

    /** Changes values that are constants in production. */
    private static final class TestConstants implements BeanPostProcessor {
        @Override
        public Object postProcessAfterInitialization(Object bean, String name) {
            return switch (bean) {
                case HttpSettings http ->
                    new HttpSettings(http.maxConnections(), http.inFlight(), Duration.ofSeconds(3));
                // A busy machine is no reason for a warning.
                case PostgresProperties postgres ->
                    new PostgresProperties(
                            postgres.url(),
                            postgres.user(),
                            postgres.password(),
                            postgres.readUrl(),
                            postgres.readUser(),
                            postgres.readPassword(),
                            Duration.ofSeconds(30),
                            Duration.ofMinutes(2),
                            postgres.reading(),
                            postgres.aggregating());
                default -> bean;
            };
        }
    }

    @BeforeAll
    static void start() {
        Database.empty();
        application = new SpringApplicationBuilder(HistoryIT.Host.class)
                .properties("spring.config.name=persistence-consumer")
                .initializers(context -> context.getBeanFactory().addBeanPostProcessor(new TestConstants()))
                .run(
                        "--server.port=0",
                        "--server.address=127.0.0.1",
                        "--management.server.port=0",
                        "--chat.identity.mode=open",
                        "--chat.http.in-flight=" + IN_FLIGHT + "B",
                        "--chat.postgres.reading.query-timeout=1m",
                        "--chat.postgres.url=" + Database.node().jdbcUrl(),
                        "--chat.postgres.user=" + Database.node().user(),
                        "--chat.postgres.password=" + Database.node().password());
        await().atMost(Duration.ofMinutes(2))
                .ignoreExceptions()
                .until(() -> Database.number("SELECT count(*) FROM messages"), rows -> rows == 0);
        Database.execute("INSERT INTO rooms (room_id) VALUES ('large')");
        Database.execute("INSERT INTO users (user_id) VALUES ('42')");
        Database.execute("""
                INSERT INTO messages
                  (message_id, position, timestamp, room, usr, username, message_type, content, server_id)
                SELECT gen_random_uuid(), n, now(), room, usr, 'alice', 'TEXT', repeat('😀', 500), 'server-1'
                FROM generate_series(1, 4000) AS n, rooms, users""");
        complaints = LogWatch.begin();
    }

    @AfterAll
    static void stop() {
        complaints.close();
        application.close();
    }

    private static int port() {
        return Integer.parseInt(
                Objects.requireNonNull(application.getEnvironment().getProperty("local.server.port")));
    }

    private static double gauge(String name) {
        return application.getBean(MeterRegistry.class).get(name).gauge().value();
    }

    private static double ended(String cause) {
        return application
                .getBean(MeterRegistry.class)
                .get("chat.http.ended")
                .tag("cause", cause)
                .functionCounter()
                .count();
    }

    private static long nettyMemory() {
        var metric = ((ByteBufAllocatorMetricProvider) ByteBufAllocator.DEFAULT).metric();
        return metric.usedDirectMemory() + metric.usedHeapMemory();
    }

    private static String page(int after) {
        return "/api/rooms/large/messages?limit=1000&after=" + after;
    }

    private void askForPagesAndReadNone(int pages, String upgrade) throws IOException {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(4096);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port()));
        sockets.add(socket);
        StringBuilder requests = new StringBuilder();
        for (int page = 0; page < pages; page++)
            requests.append("GET ")
                    .append(page(page))
                    .append(" HTTP/1.1\r\nHost: 127.0.0.1\r\n")
                    .append(upgrade)
                    .append("\r\n");
        socket.getOutputStream().write(requests.toString().getBytes(US_ASCII));
    }

    private static int status(HttpClient client, String path) throws IOException, InterruptedException {
        return client.send(
                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + path))
                                .build(),
                        HttpResponse.BodyHandlers.discarding())
                .statusCode();
    }

    @Test
    void responseCountsUntilItsClientHasReadIt() throws Exception {
        double stalled = ended("stalled");
        askForPagesAndReadNone(1, "");
        try {
            await().atMost(Duration.ofMinutes(1)).until(() -> gauge("chat.http.in.flight") > PAGE / 2.0);
            await().atMost(Duration.ofMinutes(1)).until(() -> {
                double held = gauge("chat.http.in.flight");
                if (ended("stalled") > stalled) return true;
                assertThat(held).isGreaterThan(PAGE / 2.0);
                return false;
            });
            await().atMost(Duration.ofMinutes(1)).until(() -> gauge("chat.http.in.flight") == 0);
        } finally {
            for (Socket socket : sockets) socket.close();
        }
    }

    @Test
    void stalledReadersHoldBoundedMemoryWithoutDelayingOthers() throws Exception {
        long before = nettyMemory();
        try (HttpClient other = HttpClient.newHttpClient()) {
            for (int i = 0; i < SOCKETS; i++) {
                askForPagesAndReadNone(4, UPGRADES.get(i % UPGRADES.size()));
                assertHeld(before);
            }
            // The oldest of those responses make room for it; 503 until then.
            await().atMost(Duration.ofMinutes(2)).untilAsserted(() -> {
                assertHeld(before);
                assertThat(status(other, page(0))).isEqualTo(200);
            });
            assertThat(status(other, "/health")).isEqualTo(200);
            // The server ends each by itself: all sockets are still open on this side.
            await().atMost(Duration.ofMinutes(2)).until(() -> {
                assertHeld(before);
                return gauge("chat.http.connections") <= 1;
            });
            assertThat(ended("stalled") + ended("cut-off")).isPositive();
            assertThat(gauge("chat.http.in.flight")).isZero();
        } finally {
            for (Socket socket : sockets) socket.close();
        }
        complaints.assertQuiet();
    }

    private static void assertHeld(long before) {
        assertThat(gauge("chat.http.in.flight")).isLessThanOrEqualTo(IN_FLIGHT + SOCKETS * 4096.0);
        assertThat(nettyMemory() - before)
                .as("Netty's memory")
                .isLessThan(IN_FLIGHT + SOCKETS * 4096 + THREADS * PAGE + 32 * MEGABYTE);
    }
}
