package chat.load.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import chat.load.driver.PlanBuilder;
import chat.load.plan.Plan;
import chat.load.report.RunRecord.PlatformMetrics;
import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class StorageTest {
    private final AtomicInteger unavailable = new AtomicInteger();
    private HttpServer server;
    private final Plan plan = PlanBuilder.of(1, 1, 1).plan();
    private URI url;

    @BeforeEach
    void startRestApi() throws Exception {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            String body = switch (exchange.getRequestURI().getPath()) {
                case "/api/rooms/lobby/messages" -> "{\"messages\":[]}";
                case "/api/metrics" -> "{\"activeUsers\":7}";
                default -> "";
            };
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            int status = unavailable.getAndDecrement() > 0 ? 503 : bytes.length == 0 ? 404 : 200;
            exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
        server.start();
        url = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    @AfterEach
    void stopRestApi() {
        server.stop(0);
    }

    @Test
    void metricsAreReadFromTheDocumentedPath() throws Exception {
        PlatformMetrics metrics = find("lobby").metrics();
        assertThat(metrics)
                .isInstanceOfSatisfying(
                        PlatformMetrics.Answer.class,
                        answer -> assertThat(answer.body().path("activeUsers").asInt())
                                .isEqualTo(7));
    }

    @Test
    void restApiIsAskedAgainWhileItsDatabaseIsUnavailable() throws Exception {
        unavailable.set(3);
        assertThat(find("lobby").base()).isEqualTo(url);
    }

    @Test
    void restApiWithoutHistoryIsRejectedAtOnce() {
        assertThatThrownBy(() -> find("elsewhere")).hasMessageContaining("answered 404");
    }

    private Storage find(String room) throws Exception {
        return Storage.find(List.of(), url, plan, room, null);
    }
}
