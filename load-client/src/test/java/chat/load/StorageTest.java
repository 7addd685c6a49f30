package chat.load;

import static org.assertj.core.api.Assertions.assertThat;

import chat.load.plan.Plan;
import chat.load.report.RunRecord.PlatformMetrics;
import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class StorageTest {
    @Test
    void metricsAreReadFromTheDocumentedPath() throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            String body = switch (exchange.getRequestURI().getPath()) {
                case "/api/rooms/lobby/messages" -> "{\"messages\":[]}";
                case "/api/metrics" -> "{\"activeUsers\":7}";
                default -> "";
            };
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(bytes.length == 0 ? 404 : 200, bytes.length == 0 ? -1 : bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
        server.start();
        try {
            ChatOptions options = new ChatOptions();
            options.users = 1;
            options.messages = 1;
            options.historyUrl =
                    URI.create("http://127.0.0.1:" + server.getAddress().getPort());
            Plan plan = Plans.of("fanout", options, 0);
            PlatformMetrics metrics = Storage.find(options, plan, "lobby", null).metrics();
            assertThat(metrics)
                    .isInstanceOfSatisfying(
                            PlatformMetrics.Answer.class,
                            answer -> assertThat(
                                            answer.body().path("activeUsers").asInt())
                                    .isEqualTo(7));
        } finally {
            server.stop(0);
        }
    }
}
