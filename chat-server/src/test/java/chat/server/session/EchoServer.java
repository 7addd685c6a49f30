package chat.server.session;

import chat.protocol.FrameRules;
import chat.server.limit.HandshakeLimit;
import chat.server.limit.HandshakeSettings;
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

/** Sends back what it receives, over the chat server's own upgrade and guards: what a suite for RFC 6455 wants to talk to. */
final class EchoServer implements AutoCloseable {
    private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext(Echo.class);
    private final DisposableServer server = HttpServer.create()
            .host("127.0.0.1")
            .port(0)
            .handle(new ReactorHttpHandlerAdapter(
                    WebHttpHandlerBuilder.applicationContext(context).build()))
            .bindNow();

    @Configuration(proxyBeanMethods = false)
    @EnableWebFlux
    static class Echo {
        @Bean
        HandlerMapping mapping() {
            WebSocketHandler echo = session -> session.send(session.receive()
                    .filter(message -> message.getType() == WebSocketMessage.Type.TEXT)
                    .doOnNext(WebSocketMessage::retain));
            return new SimpleUrlHandlerMapping(Map.of("/**", echo), -1);
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
