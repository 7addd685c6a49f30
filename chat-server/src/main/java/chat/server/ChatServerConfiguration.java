package chat.server;

import chat.log.EntryWatch;
import chat.log.LogCounters;
import chat.log.RoomLog;
import chat.protocol.FrameRules;
import chat.server.history.RestHistory;
import chat.server.intake.IntakeSettings;
import chat.server.limit.ConnectionLimit;
import chat.server.limit.HandshakeLimit;
import chat.server.room.History;
import chat.server.room.RoomCounters;
import chat.server.room.RoomSettings;
import chat.server.room.Rooms;
import chat.server.session.SessionConfiguration;
import chat.server.session.SessionSettings;
import chat.server.session.Sessions;
import chat.server.session.WireSettings;
import java.time.Clock;
import java.time.Duration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.client.ReactorResourceFactory;
import reactor.netty.resources.LoopResources;

/** A chat server around the {@link RoomLog} of its application. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(ChatServerProperties.class)
@Import({SessionConfiguration.class, WebConfiguration.class, MetricsConfiguration.class, LogMetricsConfiguration.class})
public class ChatServerConfiguration {

    @Bean
    ServerId serverId(ChatServerProperties properties) {
        return ServerId.of(properties.id());
    }

    @Bean
    LogCounters logCounters(EntryWatch watch) {
        return new LogCounters(watch);
    }

    @Bean
    RoomCounters roomCounters() {
        return new RoomCounters();
    }

    @Bean
    ConnectionLimit connectionLimit(ChatServerProperties properties) {
        return new ConnectionLimit(properties.maxConnections());
    }

    @Bean
    HandshakeLimit handshakeLimit(ChatServerProperties properties) {
        return new HandshakeLimit(properties.handshakes());
    }

    @Bean
    FileDescriptors fileDescriptors(ChatServerProperties properties) {
        return new FileDescriptors(properties.maxConnections());
    }

    @Bean
    SocketBuffers socketBuffers(ChatServerProperties properties) {
        return new SocketBuffers(properties.socket());
    }

    @Bean
    FrameRules frameRules(ChatServerProperties properties) {
        return properties.frame();
    }

    @Bean
    WireSettings wireSettings(ChatServerProperties properties) {
        return properties.wire();
    }

    @Bean
    IntakeSettings intakeSettings(ChatServerProperties properties) {
        return properties.intake();
    }

    @Bean
    SessionSettings sessionSettings(ChatServerProperties properties) {
        return properties.socket().settings();
    }

    /** Event loops of its own: the global ones would end with the first of several programs in one JVM. */
    @Bean
    ReactorResourceFactory reactorResourceFactory(ChatServerProperties properties) {
        int loops = properties.eventLoops() > 0
                ? properties.eventLoops()
                : Runtime.getRuntime().availableProcessors();
        ReactorResourceFactory resources = new ReactorResourceFactory();
        resources.setUseGlobalResources(false);
        resources.setLoopResourcesSupplier(() -> LoopResources.create("sockets", loops, true));
        resources.setShutdownQuietPeriod(Duration.ZERO); // everything is drained by then
        return resources;
    }

    @Bean
    History history(ChatServerProperties properties, ReactorResourceFactory resources) {
        ChatServerProperties.History history = properties.history();
        return new RestHistory(history.url(), history.timeout(), history.concurrency(), resources.getLoopResources());
    }

    @Bean(destroyMethod = "") // closed by the drain, between the sockets and the log
    Rooms rooms(
            RoomLog log,
            ChatServerProperties properties,
            ServerId serverId,
            History history,
            LogCounters logCounters,
            RoomCounters roomCounters) {
        RoomSettings settings = properties.roomSettings(serverId.value());
        return new Rooms(log, settings, properties.log(), Clock.systemUTC(), history, logCounters, roomCounters);
    }

    @Bean
    Drain drain(Sessions sessions, Rooms rooms, ChatServerProperties properties) {
        return new Drain(sessions, rooms, properties.drain());
    }
}
