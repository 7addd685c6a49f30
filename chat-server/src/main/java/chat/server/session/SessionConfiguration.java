package chat.server.session;

import chat.kit.admission.ClientAddresses;
import chat.kit.admission.SocketRoute;
import chat.kit.identity.token.IdentitySettings;
import chat.kit.web.KnownPath;
import chat.protocol.FrameDecoder;
import chat.protocol.FrameRules;
import chat.server.admission.ConnectionLimit;
import chat.server.admission.HandshakeLimit;
import chat.server.admission.Rates;
import chat.server.admission.Rejections;
import chat.server.admission.UpgradeRequests;
import chat.server.admission.UserSockets;
import chat.server.identity.SessionIdentity;
import chat.server.intake.Intake;
import chat.server.intake.IntakeCounters;
import chat.server.intake.IntakeSettings;
import chat.server.intake.MessageIds;
import chat.server.room.Frames;
import chat.server.room.Rooms;
import java.time.Clock;
import java.util.Map;
import java.util.Set;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpMethod;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.reactive.handler.SimpleUrlHandlerMapping;
import org.springframework.web.reactive.socket.server.support.WebSocketHandlerAdapter;

/** Wires the WebSocket endpoint. */
@Configuration(proxyBeanMethods = false)
public class SessionConfiguration {

    @Bean
    Sessions sessions() {
        return new Sessions();
    }

    @Bean(destroyMethod = "close")
    FrameMemoryWatch frameMemoryWatch(Sessions sessions, SessionSettings settings) {
        return new FrameMemoryWatch(sessions, Frames::bytesInUse, settings.outboxTotalBytes());
    }

    @Bean(destroyMethod = "close")
    @ConditionalOnProperty("chat.server.session-audit")
    SessionAudit sessionAudit(Sessions sessions, ConnectionLimit limit, Rooms rooms, OpenConnections connections) {
        return new SessionAudit(sessions, limit, rooms, connections, KernelConnections.ofThisSystem()).start();
    }

    @Bean
    OpenConnections openConnections() {
        return new OpenConnections();
    }

    @Bean
    SessionCounters sessionCounters() {
        return new SessionCounters();
    }

    @Bean
    EventLoopQueues eventLoopQueues(SessionSettings settings, SessionCounters counters) {
        return new EventLoopQueues(settings.handoverBytes(), counters.handoverWaits);
    }

    @Bean
    IntakeCounters intakeCounters() {
        return new IntakeCounters();
    }

    @Bean
    ChatSocketHandler chatSocketHandler(
            FrameRules rules,
            IntakeSettings intakeSettings,
            Sessions sessions,
            ConnectionLimit limit,
            EventLoopQueues queues,
            SessionSettings settings,
            SessionCounters counters,
            Rooms rooms,
            IntakeCounters intakeCounters,
            Rates rates,
            ClientAddresses addresses,
            IdentitySettings identity) {
        FrameDecoder decoder = new FrameDecoder(rules);
        Clock clock = Clock.systemUTC();
        MessageIds ids = new MessageIds(clock);
        return new ChatSocketHandler(
                sessions,
                limit,
                queues,
                settings,
                counters,
                addresses,
                identity.isOpen() ? SessionIdentity.unverified() : null,
                (address, sender, session) -> new Intake(
                        rooms,
                        decoder,
                        intakeSettings,
                        clock,
                        System::nanoTime,
                        ids,
                        intakeCounters,
                        rates,
                        address,
                        sender,
                        session));
    }

    @Bean
    HandlerMapping chatMapping(ChatSocketHandler handler) {
        return new SimpleUrlHandlerMapping(Map.of(UpgradeRequests.PATH + "**", handler), -1);
    }

    /** Pages of any origin may read why an upgrade was rejected; the response contains nothing else. */
    @Bean
    KnownPath chatPath() {
        return new KnownPath(UpgradeRequests.PATH + "**", Set.of(HttpMethod.GET), true);
    }

    @Bean
    SocketRoute chatSockets(ApplicationContext context) {
        return new SocketRoute(context, UpgradeRequests.PATH + "**");
    }

    @Bean
    WebSocketHandlerAdapter webSocketHandlerAdapter(
            FrameRules rules,
            HandshakeLimit handshakes,
            SessionCounters counters,
            UserSockets userSockets,
            Rejections rejections) {
        GuardedUpgrade upgrade = new GuardedUpgrade(rules.maxFrameBytes(), WireSettings.DEFAULT, handshakes, counters);
        return new WebSocketHandlerAdapter(
                new SocketHandshakes(new UserBoundUpgrade(upgrade, userSockets, rejections)));
    }
}
