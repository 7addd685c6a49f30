package chat.server;

import chat.kit.identity.token.IdentityConfiguration;
import chat.kit.identity.token.IdentitySettings;
import chat.kit.management.ManagementConfiguration;
import chat.kit.tracing.Tracing;
import chat.kit.tracing.TracingSettings;
import chat.kit.web.HttpConfiguration;
import chat.log.EntryListener;
import chat.log.LogCounters;
import chat.log.LogSettings;
import chat.log.RoomLog;
import chat.protocol.FrameRules;
import chat.server.admission.AdmissionConfiguration;
import chat.server.admission.ConnectionLimit;
import chat.server.admission.HandshakeLimit;
import chat.server.admission.OriginCheck;
import chat.server.admission.OverloadGuard;
import chat.server.admission.RateSettings;
import chat.server.admission.Rejection;
import chat.server.admission.Resource;
import chat.server.history.HistorySettings;
import chat.server.history.RestHistory;
import chat.server.history.TokenFile;
import chat.server.intake.IntakeCounters;
import chat.server.intake.IntakeSettings;
import chat.server.room.CatchUpSettings;
import chat.server.room.History;
import chat.server.room.RoomCounters;
import chat.server.room.RoomSettings;
import chat.server.room.Rooms;
import chat.server.session.OpenConnections;
import chat.server.session.SessionConfiguration;
import chat.server.session.SessionCounters;
import chat.server.session.SessionSettings;
import chat.server.session.Sessions;
import chat.server.token.TokenConfiguration;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.annotation.Order;
import org.springframework.http.client.ReactorResourceFactory;
import reactor.netty.resources.LoopResources;

/** A chat server around the {@link RoomLog} of its application. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties({ChatServerProperties.class, TracingSettings.class})
@Import({
    AdmissionConfiguration.class,
    ManagementConfiguration.class,
    HttpConfiguration.class,
    OverloadConfiguration.class,
    IdentityConfiguration.class,
    TokenConfiguration.class,
    SessionConfiguration.class,
    WebConfiguration.class,
    MetricsConfiguration.class,
    LogMetricsConfiguration.class,
    RateConfiguration.class
})
public class ChatServerConfiguration {
    /** Of one response of the consumer; the server then reads the log instead. */
    private static final Duration HISTORY_TIMEOUT = Duration.ofSeconds(2);

    @Bean
    ServerId serverId(ChatServerProperties properties) {
        return ServerId.of(properties.id());
    }

    @Bean
    LogCounters logCounters(EntryListener watch) {
        return new LogCounters(watch);
    }

    @Bean
    RoomCounters roomCounters() {
        return new RoomCounters();
    }

    @Bean
    @Order(AdmissionConfiguration.CONNECTIONS)
    ConnectionLimit connectionLimit(ChatServerProperties properties) {
        return new ConnectionLimit(properties.maxConnections(), Rejection.RETRY_AFTER);
    }

    @Bean
    @Order(AdmissionConfiguration.ORIGIN)
    OriginCheck originRule(ChatServerProperties properties) {
        return new OriginCheck(properties.allowedOrigins());
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
    SocketBuffers socketBuffers(SessionSettings settings) {
        return new SocketBuffers(settings);
    }

    @Bean
    Tracing chatTracing(TracingSettings settings, ServerId serverId) {
        return Tracing.of(settings, "chat-server", serverId.value());
    }

    @Bean
    MeterBinder chatTracingMeters(@Qualifier("chatTracing") Tracing tracing) {
        return registry -> tracing.bind(registry, "chat.tracing.spans");
    }

    @Bean
    ConnectionWatch connectionWatch(OpenConnections connections) {
        return new ConnectionWatch(connections);
    }

    @Bean
    FrameRules frameRules(ChatServerProperties properties, IdentitySettings identity) {
        try {
            return properties.frameRules(!identity.isOpen());
        } catch (IllegalArgumentException wrong) {
            throw new InvalidConfigurationPropertyValueException(
                    "chat.server.frame", properties.frame(), String.valueOf(wrong.getMessage()));
        }
    }

    @Bean
    IntakeSettings intakeSettings(ChatServerProperties properties) {
        return properties.intake().settings();
    }

    @Bean
    SessionSettings sessionSettings(ChatServerProperties properties) {
        return properties.socket();
    }

    @Bean
    RateSettings rateSettings(ChatServerProperties properties) {
        return properties.rate();
    }

    @Bean
    LogSettings logSettings(ChatServerProperties properties) {
        return properties.log().settings();
    }

    @Bean
    RoomSettings roomSettings(ChatServerProperties properties, ServerId serverId, FrameRules rules) {
        return properties.roomSettings(serverId.value(), rules);
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
    RestHistory history(ChatServerProperties properties, IdentitySettings identity, ReactorResourceFactory resources) {
        HistorySettings history = properties.history();
        if (!identity.isOpen() && history.tokenFile().isEmpty())
            throw new InvalidConfigurationPropertyValueException(
                    "chat.server.history.token-file",
                    "",
                    "where tokens are asked for, the consumer asks chat servers for one, too: set CHAT_HISTORY_TOKEN_FILE"
                            + " to a file with a token of the role analyst");
        return new RestHistory(
                history.url(),
                history.tokenFile().isEmpty() ? null : new TokenFile(Path.of(history.tokenFile()), System::nanoTime),
                HISTORY_TIMEOUT,
                CatchUpSettings.READS,
                resources.getLoopResources());
    }

    @Bean(destroyMethod = "") // closed by the drain, between the sockets and the log
    Rooms rooms(
            RoomLog log,
            RoomSettings settings,
            LogSettings logSettings,
            History history,
            LogCounters logCounters,
            RoomCounters roomCounters,
            @Qualifier("chatTracing") Tracing tracing,
            OverloadGuard guard) {
        for (int kept : settings.keptPartitions()) {
            if (kept < 0 || kept >= log.partitions())
                throw new InvalidConfigurationPropertyValueException(
                        "chat.server.room.kept-partitions",
                        kept,
                        "partitions are numbered from 0, and of this log's " + log.partitions() + " none is " + kept);
        }
        return new Rooms(
                log,
                settings,
                logSettings,
                Clock.systemUTC(),
                System::nanoTime,
                history,
                logCounters,
                roomCounters,
                tracing.traces(),
                () -> guard.isShortOf(Resource.HEAP));
    }

    @Bean
    ReadAhead readAhead(Rooms rooms, RoomLog log, ChatServerProperties properties) {
        return new ReadAhead(rooms, log, properties.readAhead());
    }

    @Bean(destroyMethod = "close")
    TrafficReport trafficReport(
            Sessions sessions,
            SessionCounters sockets,
            IntakeCounters intake,
            RoomCounters roomCounters,
            LogCounters logCounters,
            ChatServerProperties properties) {
        return new TrafficReport(sessions, sockets, intake, roomCounters, logCounters, System::nanoTime)
                .start(properties.trafficReport());
    }

    @Bean
    Listener listener() {
        return new Listener();
    }

    @Bean
    Drain drain(
            Listener listener,
            OpenConnections connections,
            Sessions sessions,
            Rooms rooms,
            ChatServerProperties properties) {
        return new Drain(listener, connections, sessions, rooms, properties.drain());
    }
}
