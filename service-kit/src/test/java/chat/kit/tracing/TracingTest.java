package chat.kit.tracing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

class TracingTest {
    private static final TracedMessage MESSAGE =
            new TracedMessage(0x0196f3c57a107000L, 0x8000000000000001L, 7, "r", 0, 1);

    @Test
    void tracingIsDisabledWithoutAnEndpoint() {
        try (Tracing tracing = Tracing.of(new TracingSettings("", 0.001), "chat-server", "")) {
            assertThat(tracing.traces()).isNull();
            SimpleMeterRegistry registry = new SimpleMeterRegistry();
            tracing.bind(registry, "chat.tracing.spans");
            assertThat(registry.getMeters()).isEmpty();
        }
    }

    @Test
    void spansAreExportedOverHttpAtTheLatestOnExit() throws IOException {
        List<String> received = new CopyOnWriteArrayList<>();
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        HttpServer collector = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        collector.createContext("/v1/traces", exchange -> {
            received.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.ISO_8859_1));
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        collector.start();
        try {
            String endpoint = "http://127.0.0.1:" + collector.getAddress().getPort() + "/v1/traces";
            try (Tracing tracing = Tracing.of(new TracingSettings(endpoint, 1), "chat-server", "server-7")) {
                tracing.bind(registry, "chat.tracing.spans");
                Traces traces = Objects.requireNonNull(tracing.traces());
                traces.tell(new Step.Delivery(MESSAGE, 1, System.nanoTime() - 1_000_000, System.nanoTime()));
            }
        } finally {
            collector.stop(0);
        }
        String traceId =
                new String(HexFormat.of().parseHex("0196f3c57a1070008000000000000001"), StandardCharsets.ISO_8859_1);
        assertThat(received)
                .singleElement()
                .satisfies(body -> assertThat(body).contains(traceId, "deliver", "chat-server", "server-7"));
        assertThat(count(registry, "told")).isEqualTo(1);
        assertThat(count(registry, "exported")).isEqualTo(1);
    }

    @Test
    void failedExportsAreCounted() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        // Nothing listens on port 1.
        try (Tracing tracing = Tracing.of(new TracingSettings("http://127.0.0.1:1/v1/traces", 1), "chat-server", "")) {
            tracing.bind(registry, "chat.tracing.spans");
            Objects.requireNonNull(tracing.traces()).tell(new Step.Delivery(MESSAGE, 1, 0, 1));
        }
        assertThat(count(registry, "exported")).isZero();
        assertThat(count(registry, "failed")).isEqualTo(1);
    }

    private static double count(SimpleMeterRegistry registry, String outcome) {
        return registry.get("chat.tracing.spans")
                .tag("outcome", outcome)
                .functionCounter()
                .count();
    }

    @Test
    void invalidSettingsAreRejected() {
        assertThatThrownBy(() -> new TracingSettings("collector:4318", 0.1))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new TracingSettings("", 2)).isInstanceOf(IllegalArgumentException.class);
    }
}
