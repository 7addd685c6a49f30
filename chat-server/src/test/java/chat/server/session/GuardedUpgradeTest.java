package chat.server.session;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.web.reactive.socket.WebSocketHandler;
import org.springframework.web.reactive.socket.WebSocketSession;
import reactor.netty.channel.ChannelOperations;
import reactor.netty.http.server.HttpServerRequest;
import reactor.netty.http.server.HttpServerResponse;

class GuardedUpgradeTest {
    private record Opened(
            WebSocketSession session, @Nullable String forwardedFor) {}

    @Test
    void handlerReceivesTheHandshakeHeadersWithoutKeepingThem() throws Exception {
        CompletableFuture<Opened> opened = new CompletableFuture<>();
        WebSocketHandler handler = session -> {
            opened.complete(
                    new Opened(session, session.getHandshakeInfo().getHeaders().getFirst("X-Forwarded-For")));
            return session.receive().then();
        };
        try (UpgradingServer server = new UpgradingServer(handler);
                HttpClient client = HttpClient.newHttpClient()) {
            WebSocket socket = client.newWebSocketBuilder()
                    .header("X-Forwarded-For", "192.0.2.1")
                    .buildAsync(URI.create(server.url()), new WebSocket.Listener() {})
                    .get(1, TimeUnit.MINUTES);
            try {
                assertThat(opened.join().forwardedFor()).isEqualTo("192.0.2.1");
                WebSocketSession session = opened.join().session();
                Channel channel =
                        (Channel) requireNonNull(session.getAttributes().get(GuardedUpgrade.CHANNEL));
                // Behind the handler on its thread.
                channel.eventLoop()
                        .submit(() -> {
                            assertThat(session.getHandshakeInfo().getHeaders().isEmpty())
                                    .isTrue();
                            ChannelOperations<?, ?> kept = requireNonNull(ChannelOperations.get(channel));
                            assertThat(((HttpServerRequest) kept).requestHeaders())
                                    .isEmpty();
                            assertThat(((HttpServerResponse) kept).responseHeaders())
                                    .isEmpty();
                        })
                        .get(1, TimeUnit.MINUTES);
            } finally {
                socket.abort(); // or the client would wait for its end
            }
        }
    }
}
