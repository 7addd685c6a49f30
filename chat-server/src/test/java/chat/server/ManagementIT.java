package chat.server;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import chat.log.InMemoryRoomLog;
import chat.log.LineFields;
import chat.testing.LoggedLines;
import chat.testing.RawHttp;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import jdk.jfr.consumer.RecordingFile;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The management port serves what operators need, and nothing else in any spelling of the path. */
class ManagementIT {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private static InMemoryRoomLog log;
    private static TestServer server;

    @BeforeAll
    static void start() {
        log = new InMemoryRoomLog(1, 64 << 20, Clock.systemUTC());
        server = TestServer.start(log, "chat.server.traffic-report=1s");
    }

    @AfterAll
    static void stop() {
        server.close();
        log.close();
    }

    private static URI management(TestServer of, String path) {
        return URI.create("http://127.0.0.1:" + of.managementPort() + path);
    }

    private static HttpResponse<InputStream> send(String method, URI uri, String body) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(uri)
                .header("Content-Type", "application/json")
                .method(method, HttpRequest.BodyPublishers.ofString(body))
                .build();
        return CLIENT.send(request, HttpResponse.BodyHandlers.ofInputStream());
    }

    private static int status(String method, URI uri) throws Exception {
        HttpResponse<InputStream> answer = send(method, uri, "{}");
        answer.body().close();
        return answer.statusCode();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/actuator/env",
                "/actuator/env/PATH",
                "/actuator/configprops",
                "/actuator/beans",
                "/actuator/conditions",
                "/actuator/heapdump",
                "/actuator/threaddump",
                "/actuator/loggers",
                "/actuator/logfile",
                "/actuator/mappings",
                "/actuator/httpexchanges",
                "/actuator/scheduledtasks",
                "/actuator/shutdown",
                "/actuator/restart",
                "/actuator/flightrecording",
                "/actuator/%65nv",
                "/%61ctuator/env",
                "/actuator%2Fenv",
                "/actuator//env",
                "//actuator/env",
                "/actuator/;/env",
                "/actuator/env;a=b",
                "/actuator;a=b/env",
                "/ACTUATOR/ENV",
                "/actuator/ENV",
                "/actuator/env/",
                "/actuator/env.json",
                "/actuator/./env",
                "/actuator/health/../env",
                "/actuator/health/..;/env",
                "/actuator/health/%2e%2e/env",
                "/actuator/health/%2E%2E%2Fheapdump",
                "/actuator/health/readiness/../../heapdump",
                "/actuator/health/env",
                "/actuator/prometheus/../shutdown",
                "/env",
                "/heapdump",
                "/chat/room"
            })
    void otherManagementPathsAreNotFoundInAnySpelling(String path) throws Exception {
        for (String method : new String[] {"GET", "POST", "DELETE"}) {
            assertThat(status(method, management(server, path)))
                    .as("%s %s", method, path)
                    .isIn(400, 404, 405);
            assertThat(status(method, server.page(path)))
                    .as("%s %s on the public port", method, path)
                    .isIn(400, 404, 405, 426);
        }
    }

    @Test
    void healthAndMetricsAreReadOnly() throws Exception {
        for (String path : new String[] {"/actuator/health", "/actuator/prometheus"}) {
            assertThat(status("GET", management(server, path))).isEqualTo(200);
            assertThat(status("POST", management(server, path))).isEqualTo(405);
            assertThat(status("DELETE", management(server, path))).isEqualTo(405);
        }
    }

    /** A rate of what has never been there is no rate. */
    @Test
    void countersOfLimitsExistFromTheStart() throws Exception {
        String metrics;
        try (InputStream body =
                send("GET", management(server, "/actuator/prometheus"), "").body()) {
            metrics = new String(body.readAllBytes(), StandardCharsets.UTF_8);
        }
        assertThat(metrics.lines())
                .contains(
                        "chat_sockets_slow_total{cause=\"outbox\"} 0.0",
                        "chat_sockets_slow_total{cause=\"total\"} 0.0",
                        "chat_sockets_slow_total{cause=\"deadline\"} 0.0",
                        "chat_sockets_slow_total{cause=\"acknowledgements\"} 0.0",
                        "chat_history_failures_total{reason=\"timeout\"} 0.0",
                        "chat_history_failures_total{reason=\"too-large\"} 0.0",
                        "chat_backlog_turns_cut_total 0.0",
                        "chat_backlog_ids_forgotten_total 0.0",
                        "chat_log_runs_forgotten_total 0.0",
                        "chat_presence_rosters_too_old_total 0.0",
                        "chat_presence_names_left_out_total 0.0",
                        "chat_catch_up_messages 0.0",
                        "chat_intake_waiting_bytes 0.0");
    }

    @Test
    void trafficReportLogsAcceptedAndRejectedMessages() {
        try (LoggedLines lines = LoggedLines.of(TrafficReport.class.getName(), Level.INFO)) {
            long begun = System.nanoTime();
            try (Guest speaker = Guest.connect(server, "room", 1).joined();
                    Guest listener = Guest.connect(server, "room", 2).joined()) {
                for (int i = 0; i < 100; i++) speaker.text("t" + i);
                for (int i = 0; i < 50; i++) speaker.say("{}");
                listener.await("all texts", () -> listener.texts().size() == 100);
                speaker.await("all errors", () -> speaker.frames("ERROR").size() == 50);
                Awaitility.await()
                        .until(() -> lines.values(LineFields.MEMBERSHIPS).contains("2"));
            }
            Awaitility.await().until(() -> count(lines, "(\\d+) ended") == 2);
            assertThat(count(lines, "(\\d+) opened")).isEqualTo(2);
            assertThat(count(lines, "(\\d+) turned away")).isZero();
            assertThat(count(lines, "(\\d+) closed as slow")).isZero();
            // A line is about a second at least, and no more than all of this and a second before.
            double longest = (System.nanoTime() - begun) / 1e9 + 1;
            assertThat(sum(lines, LineFields.ACCEPTED_PER_SECOND)).isBetween(102 / longest - 1, 110.0);
            assertThat(sum(lines, LineFields.REFUSED_PER_SECOND)).isBetween(50 / longest - 1, 51.0);
            assertThat(sum(lines, LineFields.DELIVERIES_PER_SECOND)).isBetween(203 / longest - 1, 210.0);
        }
    }

    private static double sum(LoggedLines lines, String field) {
        return lines.values(field).stream().mapToDouble(Double::parseDouble).sum();
    }

    /** @param what its only group is a number */
    private static int count(LoggedLines lines, String what) {
        Pattern pattern = Pattern.compile(what);
        return lines.texts().stream()
                .flatMap(line -> pattern.matcher(line).results())
                .mapToInt(found -> Integer.parseInt(found.group(1)))
                .sum();
    }

    @Test
    void fullPublicPortNeitherCountsNorClosesTheConnectionOfAScrape() throws Exception {
        int most = 16;
        List<RawHttp> clients = new ArrayList<>();
        try (TestServer full = TestServer.start(log, "chat.http.max-connections=" + most);
                RawHttp scrape = new RawHttp(full.managementPort())) {
            Gauge connections =
                    full.bean(MeterRegistry.class).get("chat.http.connections").gauge();
            assertThat(scrape.ask("GET", "/actuator/prometheus").status()).isEqualTo(200);
            assertThat(connections.value()).isZero();
            for (int i = 0; i < 2 * most; i++) {
                RawHttp client = new RawHttp(full.port());
                clients.add(client);
                assertThat(client.ask("GET", "/health").status()).isEqualTo(200);
            }
            assertThat(connections.value()).isEqualTo(most);
            assertThat(scrape.ask("GET", "/actuator/prometheus").status()).isEqualTo(200);
        } finally {
            for (RawHttp client : clients) client.close();
        }
    }

    @Test
    void flightRecordingIsWrittenIfAllowed(@TempDir Path directory) throws Exception {
        try (TestServer profiled = TestServer.start(log, "management.endpoint.flightrecording.access=unrestricted")) {
            URI recording = management(profiled, "/actuator/flightrecording");
            assertThat(status("GET", recording)).isEqualTo(404);
            assertThat(send("POST", recording, "{\"detail\":\"everything\"}").statusCode())
                    .isEqualTo(400);
            assertThat(status("POST", recording)).isEqualTo(200);
            assertThat(status("POST", recording)).isEqualTo(409);
            HttpResponse<InputStream> answer = send("GET", recording, "");
            assertThat(answer.statusCode()).isEqualTo(200);
            Path file = directory.resolve("recording.jfr");
            try (InputStream body = answer.body()) {
                Files.copy(body, file);
            }
            assertThat(RecordingFile.readAllEvents(file)).isNotEmpty();
            assertThat(status("DELETE", recording)).isEqualTo(204);
            assertThat(status("DELETE", recording)).isEqualTo(404);
        }
    }
}
