package chat.kit.admission;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ApplicationContext;
import org.springframework.context.support.StaticApplicationContext;
import org.springframework.http.HttpMethod;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.web.server.MockServerWebExchange;

class SocketRouteTest {
    private final StaticApplicationContext publicPort = new StaticApplicationContext();
    private final StaticApplicationContext managementPort = new StaticApplicationContext();
    private final SocketRoute route = new SocketRoute(publicPort, "/chat/**");

    @AfterEach
    void close() {
        publicPort.close();
        managementPort.close();
    }

    private static MockServerWebExchange request(ApplicationContext context, String path, String... upgrade) {
        return MockServerWebExchange.builder(MockServerHttpRequest.method(HttpMethod.GET, URI.create(path))
                        .header("Upgrade", upgrade)
                        .build())
                .applicationContext(context)
                .build();
    }

    @ParameterizedTest
    @ValueSource(strings = {"websocket", "WebSocket", "h2c, websocket", "websocket,h2c", "\twebsocket , h2c"})
    void websocketInTheUpgradeListIsAnUpgradeRequest(String upgrade) {
        assertThat(route.isMeantBy(request(publicPort, "/chat/room", upgrade))).isTrue();
    }

    @Test
    void upgradeListMaySpanLinesAndPathMayBeEncoded() {
        assertThat(route.isMeantBy(request(publicPort, "/%63hat/room", "h2c", "websocket")))
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "h2c", "websocketx", "websocket/14", "no websocket", "h2c;websocket"})
    void otherProtocolsAreNotUpgradeRequests(String upgrade) {
        assertThat(route.isMeantBy(request(publicPort, "/chat/room", upgrade))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/health", "/chatter", "/x/chat/room"})
    void otherPathsHaveNoSockets(String path) {
        assertThat(route.isMeantBy(request(publicPort, path, "websocket"))).isFalse();
    }

    @Test
    void managementPortHasNoSockets() {
        assertThat(route.isMeantBy(request(managementPort, "/chat/room", "websocket")))
                .isFalse();
    }

    @Test
    void programWithoutSocketsHasNone() {
        assertThat(SocketRoute.none().isMeantBy(request(publicPort, "/chat/room", "websocket")))
                .isFalse();
    }
}
