package chat.persistence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import chat.nodes.Ports;
import chat.persistence.rollup.Stored;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The dashboard's page and what only it asks, with management ports that a chat server could have. */
class DashboardIT {
    private static final AtomicInteger ASKED = new AtomicInteger();
    private static final CountDownLatch SILENT = new CountDownLatch(1);

    private static ConfigurableApplicationContext application;
    private static HttpClient client;
    private static HttpServer server;
    private static String byName;

    /** Each time it is asked 100 more messages have gone to 10 members each, in 10 ms or a little more. */
    private static String metrics(int asked) {
        return String.format(Locale.ROOT, """
                process_start_time_seconds 1.0
                chat_connections 7.0
                chat_sessions 5.0
                chat_sessions_max 20000.0
                chat_memberships 9.0
                chat_guard_refusing 0.0
                chat_log_state{state="UP"} 1.0
                chat_log_state{state="DOWN"} 0.0
                chat_log_breaker{state="CLOSED"} 1.0
                chat_intake_total{outcome="taken"} %1$d
                chat_intake_total{outcome="answered"} 3.0
                chat_intake_total{outcome="INVALID"} 4.0
                chat_intake_total{outcome="RATE_LIMITED"} 0.0
                chat_refused_total{reason="full"} 6.0
                chat_handshakes_refused_total 0.0
                chat_deliveries_total %2$d
                chat_log_read_back_seconds_bucket{le="0.01"} %1$d
                chat_log_read_back_seconds_bucket{le="+Inf"} %1$d
                chat_log_read_lag_seconds{partition="0"} 0.25
                chat_log_read_lag_seconds{partition="1"} NaN
                """, 100 * asked, 1000 * asked);
    }

    @BeforeAll
    static void begin() throws Exception {
        Database.empty();
        try (Stored stored = new Stored()) {
            stored.storeMessages(100, Stored.Users.ZIPF, 1);
        }
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/actuator/prometheus", exchange -> {
            assertThat(exchange.getRequestURI().getQuery())
                    .startsWith("includedNames=")
                    .contains("chat_sessions");
            answer(exchange, metrics(ASKED.incrementAndGet()));
        });
        server.start();
        HttpServer named = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        named.createContext("/actuator/prometheus", exchange -> answer(exchange, metrics(1)));
        named.start();
        byName = "127.0.0.1:" + named.getAddress().getPort();
        HttpServer other = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        other.createContext("/", exchange -> {
            exchange.sendResponseHeaders(404, -1);
            exchange.close();
        });
        other.start();
        HttpServer silent = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        silent.createContext("/", exchange -> {
            try {
                boolean unused = SILENT.await(1, TimeUnit.MINUTES);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
            exchange.close();
        });
        silent.start();
        application = new SpringApplicationBuilder(HistoryIT.Host.class)
                .properties(Map.of(
                        "server.port",
                        "0",
                        "server.address",
                        "127.0.0.1",
                        "chat.identity.mode",
                        "open",
                        "chat.dashboard.servers",
                        String.format(
                                Locale.ROOT,
                                "good=%s,other=%s,silent=%s,none=http://127.0.0.1:%d,all=dns+http://%s",
                                address(server),
                                address(other),
                                address(silent),
                                Ports.free(),
                                byName),
                        "chat.postgres.url",
                        Database.node().jdbcUrl(),
                        "chat.postgres.user",
                        Database.node().user(),
                        "chat.postgres.password",
                        Database.node().password()))
                .run();
        client = HttpClient.newHttpClient();
    }

    private static void answer(HttpExchange exchange, String metrics) throws IOException {
        byte[] text = metrics.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(200, text.length);
        exchange.getResponseBody().write(text);
        exchange.close();
    }

    private static String address(HttpServer server) {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    @AfterAll
    static void end() {
        SILENT.countDown();
        client.close();
        application.close();
        server.stop(0);
    }

    private static HttpResponse<String> get(String path) throws Exception {
        String port = application.getEnvironment().getProperty("local.server.port");
        return client.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private static JsonNode json(String path) throws Exception {
        HttpResponse<String> answer = get(path);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        assertThat(answer.headers().firstValue("Cache-Control")).hasValue("no-store");
        return JsonMapper.shared().readTree(answer.body());
    }

    @Test
    void everyServerHasItsFiguresOrTheReasonWhyNot() throws Exception {
        JsonNode servers = await().atMost(Duration.ofMinutes(1))
                .until(() -> json("/api/servers").path("servers"), DashboardIT::allWereAsked);
        assertThat(servers.valueStream().map(one -> one.path("name").asString()))
                .containsExactly("good", "other", "silent", "none", byName);
        JsonNode good = servers.get(0);
        JsonNode figures = good.path("figures");
        assertThat(good.path("error").isNull()).isTrue();
        assertThat(good.path("ageMillis").longValue()).isBetween(0L, 5_000L);
        assertThat(figures.path("connections").intValue()).isEqualTo(7);
        assertThat(figures.path("sessions").intValue()).isEqualTo(5);
        assertThat(figures.path("log").asString()).isEqualTo("UP");
        assertThat(figures.path("deliveriesPerSecond").doubleValue())
                .isCloseTo(10 * figures.path("takenPerSecond").doubleValue(), within(1e-6));
        assertThat(figures.path("accepted").path("p50").doubleValue()).isCloseTo(5, within(1e-6));
        assertThat(figures.path("refusals")
                        .valueStream()
                        .map(one -> one.path("reason").asString()))
                .containsExactly("full", "INVALID");
        assertThat(figures.path("partitions").toString()).isEqualTo("[{\"partition\":0,\"seconds\":0.25}]");
        assertThat(servers.get(1).path("error").asString()).isEqualTo("answered with status 404");
        assertThat(servers.get(1).path("asOf").isNull()).isTrue();
        assertThat(servers.get(2).path("error").asString()).isEqualTo("no answer within 2000 ms");
        assertThat(servers.get(3).path("error").asString()).isEqualTo("cannot be reached");
        assertThat(servers.get(4).path("figures").path("connections").intValue())
                .isEqualTo(7);
    }

    /** None was late by chance. */
    private static boolean allWereAsked(JsonNode servers) {
        return servers.get(0).path("figures").path("takenPerSecond").isNumber()
                && servers.get(1).path("error").asString().startsWith("answered")
                && servers.get(3).path("error").asString().equals("cannot be reached")
                && servers.get(4).path("figures").isObject();
    }

    @Test
    void anyNumberOfViewersCausesOneScrapePerSecond() throws Exception {
        JsonNode unused = json("/api/servers");
        long begin = System.nanoTime();
        int before = ASKED.get();
        for (int i = 0; i < 50; i++) unused = json("/api/servers");
        long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin);
        assertThat(ASKED.get() - before).isLessThanOrEqualTo((int) seconds + 1);
    }

    @Test
    void consumerReportsItselfAndEveryPartition() throws Exception {
        JsonNode answer = await().atMost(Duration.ofMinutes(1))
                .until(
                        () -> json("/api/consumer"),
                        json -> json.path("figures").path("storedPerSecond").isNumber());
        assertThat(answer.path("ageMillis").longValue()).isBetween(0L, 5_000L);
        assertThat(answer.path("health").path("database").asString()).isEqualTo("UP");
        assertThat(answer.path("health").path("partitions")).isNotEmpty();
        assertThat(answer.path("figures").path("batches").path("closedBy").has("size"))
                .isTrue();
        assertThat(answer.path("figures").path("stored").isIntegralNumber()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "/main.js", "/dashboard.css", "/icon.svg", "/uplot/uPlot.iife.min.js"})
    void pageHasAStrictContentSecurityPolicy(String file) throws Exception {
        HttpResponse<String> answer = get("/dashboard" + file);
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("Content-Security-Policy").orElseThrow())
                .contains("default-src 'none'", "script-src 'self'", "style-src 'self'")
                .doesNotContain("unsafe");
        assertThat(answer.headers().firstValue("X-Content-Type-Options")).hasValue("nosniff");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"/dashboard/none.js", "/dashboard/uplot/README.md", "/dashboard/../persistence-consumer.yml"})
    void nothingElseOfTheFolderIsServed(String path) throws Exception {
        assertThat(get(path).statusCode()).isIn(400, 404);
    }

    @Test
    void everyFileOfThePageExists() throws Exception {
        String page = get("/dashboard").body();
        assertThat(page).doesNotContain("style=", "onclick");
        for (String part : page.split("\"", -1)) {
            if (part.startsWith("dashboard/"))
                assertThat(get("/" + part).statusCode()).as(part).isEqualTo(200);
        }
    }
}
