package chat.persistence;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** The management port of a consumer, which need not have a broker or a database for that. */
class ManagementIT {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private static ConfigurableApplicationContext consumer;

    @BeforeAll
    static void start() {
        consumer = new SpringApplicationBuilder(PersistenceConsumer.class)
                .run(
                        "--spring.config.name=persistence-consumer",
                        "--server.port=0",
                        "--server.address=127.0.0.1",
                        "--management.server.port=0",
                        "--chat.identity.mode=open",
                        "--management.endpoint.flightrecording.access=unrestricted",
                        "--chat.rabbitmq.uri=amqp://127.0.0.1:1",
                        "--chat.postgres.url=jdbc:postgresql://127.0.0.1:1/none");
    }

    @AfterAll
    static void stop() {
        consumer.close();
    }

    private static int status(String method, String port, String path) throws Exception {
        URI uri = URI.create("http://127.0.0.1:" + consumer.getEnvironment().getProperty(port) + path);
        HttpRequest request = HttpRequest.newBuilder(uri)
                .header("Content-Type", "application/json")
                .method(method, HttpRequest.BodyPublishers.ofString("{}"))
                .build();
        return CLIENT.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/actuator/env",
                "/actuator/configprops",
                "/actuator/beans",
                "/actuator/heapdump",
                "/actuator/threaddump",
                "/actuator/loggers",
                "/actuator/flyway",
                "/actuator/caches",
                "/actuator/shutdown",
                "/actuator/%65nv",
                "/actuator%2Fenv",
                "/actuator//env",
                "/actuator/;/env",
                "/actuator/env;a=b",
                "/ACTUATOR/ENV",
                "/actuator/health/../env",
                "/actuator/health/..;/env",
                "/actuator/health/%2e%2e/heapdump",
                "/actuator/metrics/../env",
                "/env"
            })
    void otherManagementPathsAreNotFoundInAnySpelling(String path) throws Exception {
        for (String method : new String[] {"GET", "POST", "DELETE"})
            for (String port : new String[] {"local.management.port", "local.server.port"})
                assertThat(status(method, port, path))
                        .as("%s %s on %s", method, path, port)
                        .isIn(400, 404, 405);
    }

    @Test
    void longestIdleOfTooManyConnectionsIsClosed() throws Exception {
        int port = Integer.parseInt(
                Objects.requireNonNull(consumer.getEnvironment().getProperty("local.management.port")));
        List<Socket> sockets = new ArrayList<>();
        try {
            for (int i = 0; i < 300; i++) sockets.add(new Socket(InetAddress.getLoopbackAddress(), port));
            Socket first = sockets.getFirst();
            first.setSoTimeout(10_000);
            assertThat(first.getInputStream().read()).isNegative();
            assertThat(status("GET", "local.management.port", "/actuator/metrics"))
                    .isEqualTo(200);
        } finally {
            for (Socket socket : sockets) socket.close();
        }
    }

    @Test
    void flightRecordingIsWrittenIfAllowedAndNotOnThePublicPort() throws Exception {
        String path = "/actuator/flightrecording";
        assertThat(status("POST", "local.server.port", path)).isIn(404, 405);
        assertThat(status("POST", "local.management.port", path)).isEqualTo(200);
        assertThat(status("GET", "local.management.port", path)).isEqualTo(200);
        assertThat(status("DELETE", "local.management.port", path)).isEqualTo(204);
    }
}
