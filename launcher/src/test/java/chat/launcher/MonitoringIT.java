package chat.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import chat.launcher.chaos.LoadRun;
import chat.launcher.platform.Cluster;
import chat.nodes.Ports;
import chat.nodes.RabbitNode;
import chat.nodes.RabbitSettings;
import chat.nodes.RabbitTuning;
import chat.testing.Needs;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Checks the metrics of two chat servers, the consumer, RabbitMQ and HAProxy after some conversations. */
@Needs({"haproxy", "prometheus", "rabbitmq"})
class MonitoringIT {
    private static final int ROOMS = 8;
    private static final int USERS = 10;
    private static final int TEXTS = 20;
    /** Each member of a room joins, sends messages and leaves. */
    private static final long MESSAGES = (long) ROOMS * USERS * (TEXTS + 2);

    @TempDir
    static Path directory;

    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final Cluster.Ports PORTS = Cluster.Ports.free(2, 1);
    private static final int RABBIT_METRICS = Ports.free();
    private static RabbitNode rabbit;
    private static Cluster cluster;
    private static PrometheusServer prometheus;

    @BeforeAll
    static void talk() throws Exception {
        rabbit = new RabbitNode(RabbitSettings.in(directory.resolve("rabbitmq"))
                .withTuning(new RabbitTuning(
                        List.of("rabbitmq_prometheus"),
                        List.of("prometheus.tcp.ip = 127.0.0.1", "prometheus.tcp.port = " + RABBIT_METRICS),
                        List.of(),
                        "")));
        rabbit.start();
        cluster = TestPlaces.cluster(
                directory, Cluster.Size.servers(2), PORTS, rabbit.uri(), Map.of("CHAT_SERVER_SESSION_AUDIT", "true"));
        cluster.start();
        prometheus = new PrometheusServer(
                directory.resolve("prometheus"),
                Map.of(
                        "chat-server", List.of(management(PORTS.server(0)), management(PORTS.server(1))),
                        "consumer", List.of(management(PORTS.consumer())),
                        "haproxy", List.of(management(PORTS.proxy())),
                        "rabbitmq", List.of(RABBIT_METRICS)));
        prometheus.awaitReady();
        // A rate needs two scrapes, so each program must be scraped once before the load.
        await().atMost(Duration.ofMinutes(2))
                .untilAsserted(() -> assertThat(prometheus.query("up == 1")).hasSize(6));
        await().atMost(Duration.ofMinutes(2))
                .untilAsserted(() -> assertThat(prometheus.query("persistence_batch_size_messages_count"))
                        .isNotEmpty());
        LoadRun run = TestPlaces.load(
                directory,
                "--rooms=" + ROOMS,
                "--users=" + USERS,
                "--messages=" + TEXTS,
                "--url=ws://127.0.0.1:" + PORTS.proxy());
        int result = run.result(TestPlaces.LIMIT);
        assertThat(result).as(run.output()).isZero();
        await().atMost(Duration.ofMinutes(2)).until(() -> {
            Scrape now = Scrape.of(HTTP, server(0), server(1), consumer());
            return now.sum("chat_sessions") == 0
                    && now.sum("chat_log_entries_unconfirmed") == 0
                    && now.sum("persistence_waiting_messages") == 0
                    && settled(now) == now.sum("chat_log_messages_accepted_total")
                    && now.sum("persistence_rollup_messages_total") == now.sum("persistence_stored_total");
        });
    }

    @AfterAll
    static void stop() {
        if (prometheus != null) prometheus.close();
        if (cluster != null) cluster.close();
        rabbit.close();
    }

    private static URI at(int port, String path) {
        return URI.create("http://127.0.0.1:" + port + path);
    }

    private static int management(int port) {
        return port + Cluster.MANAGEMENT_OFFSET;
    }

    private static URI server(int index) {
        return at(management(PORTS.server(index)), "/actuator/prometheus");
    }

    private static URI consumer() {
        return at(management(PORTS.consumer()), "/actuator/prometheus");
    }

    private static URI proxy() {
        return at(management(PORTS.proxy()), "/metrics");
    }

    private static URI broker() {
        return at(RABBIT_METRICS, "/metrics");
    }

    @Test
    void dashboardShowsBothServersAndIsServedThroughTheProxy() throws Exception {
        assertThat(get(PORTS.proxy(), "/dashboard")).contains("dashboard/main.js");
        JsonNode servers = await().until(
                        () -> JsonMapper.shared()
                                .readTree(get(PORTS.proxy(), "/api/servers"))
                                .path("servers"),
                        found -> found.valueStream()
                                .allMatch(one -> one.path("figures")
                                        .path("takenPerSecond")
                                        .isNumber()));
        assertThat(servers.valueStream().map(one -> one.path("name").stringValue()))
                .containsExactly("server-1", "server-2");
        Scrape now = Scrape.of(HTTP, server(0), server(1), consumer());
        assertThat(servers.valueStream()
                        .mapToLong(
                                one -> one.path("figures").path("maxSessions").longValue())
                        .sum())
                .isEqualTo(now.sum("chat_sessions_max"));
        assertThat(servers.valueStream()
                        .map(one -> one.path("figures").path("log").stringValue()))
                .containsOnly("UP");
        assertThat(servers.get(0).path("figures").path("breaker").stringValue()).isEqualTo("CLOSED");
        JsonNode consumer = JsonMapper.shared().readTree(get(PORTS.proxy(), "/api/consumer"));
        assertThat(consumer.path("figures").path("stored").longValue()).isEqualTo(now.sum("persistence_stored_total"));
        assertThat(consumer.path("figures")
                        .path("batches")
                        .path("closedBy")
                        .valueStream()
                        .mapToLong(JsonNode::longValue)
                        .sum())
                .isPositive();
    }

    private static String get(int port, String path) throws Exception {
        HttpResponse<String> answer =
                HTTP.send(HttpRequest.newBuilder(at(port, path)).build(), HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return answer.body();
    }

    @Test
    void acceptedMessagesAreStored() throws Exception {
        Scrape now = Scrape.of(HTTP, server(0), server(1), consumer());
        long published = now.sum("chat_log_entry_messages_sum");
        assertThat(published).isGreaterThanOrEqualTo(MESSAGES);
        assertThat(now.sum("chat_log_messages_refused_total")).isZero();
        // On a slow machine the load client resends messages after a timeout.
        long again = now.sum("chat_messages_acknowledged_again_total");
        long leavesOfTheVanished = published + again - now.sum("chat_intake_total", "outcome", "taken");
        assertThat(leavesOfTheVanished).isBetween(0L, now.sum("chat_sockets_ended_total"));

        assertThat(now.sum("chat_log_messages_accepted_total")).isEqualTo(published);
        assertThat(now.sum("persistence_batch_size_messages_sum")).isEqualTo(published);
        assertThat(settled(now)).isEqualTo(published);
        assertThat(now.sum("persistence_dead_letters_total")).isZero();
        assertThat(now.sum("persistence_rollup_messages_total")).isEqualTo(now.sum("persistence_stored_total"));
        assertThat(rows()).isEqualTo(now.sum("persistence_stored_total"));
    }

    private static long settled(Scrape now) {
        return now.sum("persistence_stored_total")
                + now.sum("persistence_duplicates_total")
                + now.sum("persistence_dead_letters_total");
    }

    private static long rows() throws Exception {
        Map<String, String> set = Files.readAllLines(
                        directory.resolve(Cluster.DATA).resolve("environment"))
                .stream()
                .map(line -> line.split("=", 2))
                .collect(Collectors.toMap(words -> words[0], words -> words[1].replace("'", "")));
        try (Connection connection = DriverManager.getConnection(
                        set.get("CHAT_POSTGRES_URL"),
                        set.get("CHAT_POSTGRES_USER"),
                        set.get("CHAT_POSTGRES_PASSWORD"));
                Statement statement = connection.createStatement();
                ResultSet count = statement.executeQuery("SELECT count(*) FROM messages")) {
            count.next();
            return count.getLong(1);
        }
    }

    @Test
    void everyOpenedConnectionHasEnded() throws Exception {
        Scrape now = Scrape.of(HTTP, server(0), server(1));
        assertThat(now.sum("chat_sockets_opened_total")).isGreaterThanOrEqualTo(ROOMS * USERS);
        assertThat(now.sum("chat_sockets_ended_total")).isEqualTo(now.sum("chat_sockets_opened_total"));
        assertThat(now.sum("chat_memberships")).isZero();
        assertThat(now.sum("chat_outbox_bytes")).isZero();
        assertThat(now.sum("chat_frames_bytes")).isZero();
        // The load balancer and scrapes open connections, so one sample with equal numbers is enough; with a leak there
        // is none.
        for (URI server : List.of(server(0), server(1))) {
            long looks = Scrape.of(HTTP, server).sum("chat_sessions_audits_total");
            await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> {
                Scrape later = Scrape.of(HTTP, server);
                assertThat(later.sum("chat_sessions_audits_total")).isGreaterThan(looks);
                assertThat(later.sum("chat_connections")).isEqualTo(later.sum("chat_connections_kernel"));
                assertThat(later.sum("chat_sessions_phantom")).isZero();
            });
        }
    }

    /** Heartbeats continue without load, so counters read at different times may differ slightly. */
    @Test
    void publishedEntriesAreConfirmedAndReadBack() throws Exception {
        await().atMost(Duration.ofMinutes(2)).untilAsserted(() -> {
            Scrape now = Scrape.of(HTTP, server(0), server(1), consumer(), broker());
            long published = now.sum("chat_log_entries_published_total");
            assertThat(now.sum("chat_log_confirm_seconds_count")).isEqualTo(published);
            assertThat(now.sum("rabbitmq_global_messages_received_total"))
                    .isEqualTo(published + now.sum("persistence_announcements_total", "outcome", "written"));
            assertThat(now.sum("chat_log_read_back_seconds_count")).isEqualTo(now.sum("chat_log_entry_messages_count"));
        });
    }

    @Test
    void everyMetricOfRulesAndDashboardsExists() throws Exception {
        // Metrics of exporters that do not run here are listed with their source.
        Set<String> there = new TreeSet<>(Scrape.of(HTTP, server(0), server(1), consumer(), broker(), proxy())
                .names());
        there.addAll(known("node_exporter.txt"));
        there.addAll(known("postgres_exporter.txt"));
        there.addAll(List.of("up", "ALERTS"));
        // Exist only with tokens, published keys or a rate limit for queries.
        there.addAll(List.of(
                "persistence_refused_total",
                "identity_keys_age_seconds",
                "identity_keys_failures_total",
                "persistence_rest_rate_total"));
        Rules.all().stream()
                .filter(rule -> !rule.isAlert())
                .map(Rules.Rule::name)
                .forEach(there::add);
        assertThat(there).containsAll(asked().collect(Collectors.toCollection(TreeSet::new)));
    }

    @Test
    void prometheusScrapesEveryProgramAndLoadsEveryRule() {
        await().atMost(Duration.ofMinutes(2)).untilAsserted(() -> {
            List<JsonNode> targets = prometheus
                    .ask("/api/v1/targets")
                    .path("activeTargets")
                    .valueStream()
                    .toList();
            assertThat(targets)
                    .hasSize(6)
                    .allMatch(target -> target.path("health").asString().equals("up"));
            assertThat(prometheus.ask("/api/v1/rules").path("groups").valueStream())
                    .flatMap(group -> group.path("rules").valueStream().toList())
                    .hasSameSizeAs(Rules.all())
                    .allSatisfy(rule -> assertThat(rule.path("health").asString())
                            .as(rule.toString())
                            .isEqualTo("ok"));
        });
    }

    @Test
    void onlyTheWatchdogAlertFires() {
        await().atMost(Duration.ofMinutes(2))
                .untilAsserted(() -> assertThat(prometheus.query("ALERTS{alertstate=\"firing\"}"))
                        .extracting(
                                alert -> alert.path("metric").path("alertname").asString())
                        .containsExactly("Watchdog"));
    }

    @Test
    void everyPanelHasData() {
        await().atMost(Duration.ofMinutes(2)).untilAsserted(() -> {
            for (String query : Dashboards.queries())
                if (isAnsweredHere(query))
                    assertThat(prometheus.query(query)).as(query).isNotEmpty();
        });
    }

    /** Excludes metrics of exporters that do not run here, and metrics that exist only after an error. */
    private static boolean isAnsweredHere(String query) {
        return !query.contains("> 0")
                && PromQl.metrics(query).stream()
                        .noneMatch(name -> name.startsWith("pg_") || name.startsWith("node_") || name.equals("ALERTS"));
    }

    private static Stream<String> asked() {
        Stream<String> rules = Rules.all().stream().map(Rules.Rule::expression);
        return Stream.concat(rules, Dashboards.queries().stream()).flatMap(query -> PromQl.metrics(query).stream());
    }

    private static List<String> known(String file) throws Exception {
        return Files.readAllLines(Path.of("src/test/resources/chat/launcher", file)).stream()
                .filter(line -> !line.startsWith("#"))
                .toList();
    }
}
