package chat.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import chat.load.plan.Plan;
import chat.load.report.RunRecord.PlatformMetrics;
import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class StorageTest {
    private final AtomicInteger unavailable = new AtomicInteger();
    private final ChatOptions options = new ChatOptions();
    private HttpServer server;
    private Plan plan;

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
        options.users = 1;
        options.messages = 1;
        options.historyUrl =
                URI.create("http://127.0.0.1:" + server.getAddress().getPort());
        plan = Plans.of("fanout", options, 0);
    }

    @AfterEach
    void stopRestApi() {
        server.stop(0);
    }

    @Test
    void metricsAreReadFromTheDocumentedPath() throws Exception {
        PlatformMetrics metrics = Storage.find(options, plan, "lobby", null).metrics();
        assertThat(metrics)
                .isInstanceOfSatisfying(
                        PlatformMetrics.Answer.class,
                        answer -> assertThat(answer.body().path("activeUsers").asInt())
                                .isEqualTo(7));
    }

    @Test
    void restApiIsAskedAgainWhileItsDatabaseIsUnavailable() throws Exception {
        unavailable.set(3);
        assertThat(Storage.find(options, plan, "lobby", null).base()).isEqualTo(options.historyUrl);
    }

    @Test
    void restApiWithoutHistoryIsRejectedAtOnce() {
        assertThatThrownBy(() -> Storage.find(options, plan, "elsewhere", null)).hasMessageContaining("answered 404");
    }
}
