package chat.load.lab.sample;

import static org.assertj.core.api.Assertions.assertThat;

import chat.load.lab.sample.MetricsProbe.Endpoint;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class MetricsProbeTest {
    private final RecordedSink sink = new RecordedSink();
    private final AtomicReference<byte[]> body = new AtomicReference<>(Recorded.bytes("chat-server.prom.txt"));
    private final CountDownLatch never = new CountDownLatch(1);
    private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
    private final HttpServer server;

    MetricsProbeTest() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    }

    @BeforeEach
    void start() {
        server.setExecutor(executor);
        server.createContext("/metrics", exchange -> answer(exchange, 200, body.get()));
        server.createContext("/consumer", exchange -> answer(exchange, 200, Recorded.bytes("consumer.prom.txt")));
        server.createContext("/gone", exchange -> answer(exchange, 404, new byte[0]));
        server.createContext("/page", exchange -> answer(exchange, 200, "<html/>".getBytes(StandardCharsets.UTF_8)));
        server.createContext("/large", exchange -> answer(exchange, 200, new byte[5 << 20]));
        server.createContext("/stuck", exchange -> {
            try {
                never.await();
            } catch (InterruptedException stop) {
                exchange.close();
            }
        });
        server.start();
    }

    @AfterEach
    void stop() {
        never.countDown();
        server.stop(0);
        executor.shutdownNow();
    }

    @Test
    void theFirstCandidateThatAnswersIsTheEndpoint() throws InterruptedException {
        MetricsProbe probe =
                probe(new Endpoint("chat-8081", List.of(nobody(), uri("/gone"), uri("/page"), uri("/metrics"))));
        for (int second = 0; second < 4; second++) {
            assertThat(sink.gauges).isEmpty();
            probe.sample(sink);
        }
        assertThat(sink.gauges).containsEntry("chat-8081.sessionsMax", 20_000.0);
        body.set(Recorded.changed("chat-server.prom.txt", "chat_sessions 0.0", "chat_sessions 7.0"));
        probe.sample(sink);
        assertThat(sink.gauges).containsEntry("chat-8081.sessions", 7.0);
    }

    @Test
    void severalAreAskedAtOnceAndCompared() throws InterruptedException {
        MetricsProbe probe = probe(
                new Endpoint("chat-8081", List.of(uri("/metrics"))),
                new Endpoint("consumer", List.of(uri("/consumer"))));
        probe.sample(sink);
        assertThat(sink.gauges).containsKeys("chat-8081.sessions", "consumer.lag", "consumer.depth");
    }

    @Test
    void missingEndpointIsNotedOnceWithAHint() throws InterruptedException {
        MetricsProbe probe = probe(new Endpoint("chat-8081", List.of(uri("/gone"), uri("/page"))));
        for (int second = 0; second < 30; second++) probe.sample(sink);
        assertThat(sink.told)
                .containsExactly("metrics of chat-8081: not found at " + uri("/gone") + ", " + uri("/page")
                        + "; --metrics-url chat-8081=URL says where they are");
    }

    @Test
    void anEndpointThatGoesAwayComesBack() throws InterruptedException {
        MetricsProbe probe = probe(new Endpoint("chat-8081", List.of(uri("/metrics"))));
        probe.sample(sink);
        body.set(new byte[0]);
        probe.sample(sink);
        assertThat(sink.told)
                .containsExactly("metrics of chat-8081: " + uri("/metrics")
                        + " could not always be read (has no metric that is known)");
        sink.gauges.clear();
        body.set(Recorded.bytes("chat-server.prom.txt"));
        probe.sample(sink);
        assertThat(sink.gauges).isNotEmpty();
    }

    @Test
    void oneThatDoesNotAnswerHoldsNobodyUp() throws InterruptedException {
        MetricsProbe probe = new MetricsProbe(
                List.of(
                        new Endpoint("stuck", List.of(uri("/stuck"))),
                        new Endpoint("consumer", List.of(uri("/consumer")))),
                MetricsProbe.PATIENCE);
        probe.sample(sink);
        assertThat(sink.gauges).containsKey("consumer.lag");
        assertThat(sink.told).anyMatch(text -> text.contains("metrics of stuck") && text.contains("900 ms"));
    }

    @Test
    void anEndlessAnswerIsNotRead() throws InterruptedException {
        MetricsProbe probe = probe(new Endpoint("large", List.of(uri("/large"))));
        probe.sample(sink);
        assertThat(sink.told).singleElement().asString().contains("metrics of large: not found");
    }

    private static MetricsProbe probe(Endpoint... endpoints) {
        return new MetricsProbe(List.of(endpoints), Duration.ofSeconds(10));
    }

    private URI uri(String path) {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + path);
    }

    private static URI nobody() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return URI.create("http://127.0.0.1:" + socket.getLocalPort() + MetricsProbe.PATH);
        } catch (IOException none) {
            throw new UncheckedIOException(none);
        }
    }

    private static void answer(HttpExchange exchange, int status, byte[] body) throws IOException {
        exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
        try (exchange) {
            exchange.getResponseBody().write(body);
        }
    }
}
