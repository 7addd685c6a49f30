package chat.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import chat.nodes.Ports;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs a chat server and the consumer with tracing, and a collector. */
class TracesIT {
    private final int port = Ports.free();
    /** Requests of exporters, which contain ids and names as plain bytes. */
    private final List<String> collected = new CopyOnWriteArrayList<>();

    private final Queue<String> heard = new ConcurrentLinkedQueue<>();

    @TempDir
    Path directory;

    private @Nullable HttpServer collector;
    private @Nullable OneProcess platform;

    @BeforeEach
    void start() throws IOException {
        HttpServer http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        http.createContext("/v1/traces", exchange -> {
            collected.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.ISO_8859_1));
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        http.start();
        collector = http;
        String endpoint = "http://127.0.0.1:" + http.getAddress().getPort() + "/v1/traces";
        platform = new OneProcess(
                directory,
                port,
                null,
                Map.of("CHAT_TRACING_ENDPOINT", endpoint, "CHAT_TRACING_PROBABILITY", "1"),
                System.out);
        platform.start();
    }

    @AfterEach
    void stop() {
        if (platform != null) platform.close();
        if (collector != null) collector.stop(0);
    }

    @Test
    void pathOfAMessageIsOneTraceFromFrameToRow() {
        UUID id = UUID.fromString("0196f3c5-7a10-7abc-8def-0123456789ab");
        try (HttpClient client = HttpClient.newHttpClient()) {
            WebSocket socket = client.newWebSocketBuilder()
                    .buildAsync(URI.create("ws://127.0.0.1:" + port + "/chat/lobby"), new Listener())
                    .join();
            send(socket, "JOIN", "");
            send(socket, "TEXT", ",\"message\":\"hi\",\"messageId\":\"" + id + "\"");
            await().atMost(Duration.ofSeconds(30)).until(() -> heard.stream().anyMatch(TracesIT::isAck));
            socket.abort();
        }
        await("frame, delivery and row under the message's id")
                .atMost(Duration.ofSeconds(30))
                .until(() -> spansOf(id) == 3);
        assertThat(String.join("", collected))
                .contains("frame", "deliver", "row", "chat-server", "persistence-consumer");
    }

    private int spansOf(UUID id) {
        byte[] traceId = HexFormat.of().parseHex(id.toString().replace("-", ""));
        String bytes = new String(traceId, StandardCharsets.ISO_8859_1);
        return String.join("", collected).split(Pattern.quote(bytes), -1).length - 1;
    }

    private static boolean isAck(String frame) {
        return frame.contains("\"ACK\"");
    }

    private static void send(WebSocket socket, String type, String more) {
        String frame = "{\"messageType\":\"%s\",\"userId\":\"1\",\"username\":\"anna\",\"timestamp\":\"%s\"%s}"
                .formatted(type, "2026-11-20T10:00:00Z", more);
        socket.sendText(frame, true).join();
    }

    private final class Listener implements WebSocket.Listener {
        private final StringBuilder begun = new StringBuilder();

        @Override
        public @Nullable CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
            begun.append(data);
            if (last) {
                heard.add(begun.toString());
                begun.setLength(0);
            }
            socket.request(1);
            return null;
        }
    }
}
