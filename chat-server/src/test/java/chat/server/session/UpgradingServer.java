package chat.server.session;

import chat.protocol.FrameRules;
import chat.server.admission.HandshakeLimit;
import chat.server.admission.HandshakeSettings;
import java.time.Duration;
import java.util.Map;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.server.reactive.ReactorHttpHandlerAdapter;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.reactive.config.EnableWebFlux;
import org.springframework.web.reactive.handler.SimpleUrlHandlerMapping;
import org.springframework.web.reactive.socket.WebSocketHandler;
import org.springframework.web.reactive.socket.WebSocketMessage;
import org.springframework.web.reactive.socket.server.support.HandshakeWebSocketService;
import org.springframework.web.reactive.socket.server.support.WebSocketHandlerAdapter;
import org.springframework.web.server.adapter.WebHttpHandlerBuilder;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;

/** A handler's sockets, over the chat server's own upgrade and guards. */
final class UpgradingServer implements AutoCloseable {
    /** Sends back what it receives: what a suite for RFC 6455 wants to talk to. */
    static final WebSocketHandler ECHO = session -> session.send(session.receive()
            .filter(message -> message.getType() == WebSocketMessage.Type.TEXT)
            .doOnNext(WebSocketMessage::retain));

    private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
    private final DisposableServer server;

    UpgradingServer(WebSocketHandler handler) {
        context.registerBean(WebSocketHandler.class, () -> handler);
        context.register(Upgrading.class);
        context.refresh();
        server = HttpServer.create()
                .host("127.0.0.1")
                .port(0)
                .handle(new ReactorHttpHandlerAdapter(
                        WebHttpHandlerBuilder.applicationContext(context).build()))
                .bindNow();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableWebFlux
    static class Upgrading {
        @Bean
        HandlerMapping mapping(WebSocketHandler handler) {
            return new SimpleUrlHandlerMapping(Map.of("/**", handler), -1);
        }

        @Bean
        WebSocketHandlerAdapter adapter() {
            GuardedUpgrade upgrade = new GuardedUpgrade(
                    FrameRules.DEFAULT.maxFrameBytes(),
                    new WireSettings(1000, 100),
                    new HandshakeLimit(new HandshakeSettings(1000, Duration.ofSeconds(1))),
                    new SessionCounters());
            return new WebSocketHandlerAdapter(new HandshakeWebSocketService(upgrade));
        }
    }

    String url() {
        return "ws://127.0.0.1:" + server.port();
    }

    @Override
    public void close() {
        server.disposeNow();
        context.close();
    }
}
