package chat.server.session;

import chat.kit.admission.ClientAddresses;
import chat.protocol.CloseCode;
import chat.protocol.RoomId;
import chat.server.admission.ConnectionLimit;
import chat.server.admission.UpgradeRequests;
import chat.server.identity.SessionIdentity;
import chat.server.intake.Intake;
import io.netty.channel.Channel;
import java.net.InetAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.web.reactive.socket.CloseStatus;
import org.springframework.web.reactive.socket.HandshakeInfo;
import org.springframework.web.reactive.socket.WebSocketHandler;
import org.springframework.web.reactive.socket.WebSocketSession;
import reactor.core.publisher.Mono;

/** Serves {@code /chat/{roomId}}: one {@link ChatSession} for each socket. */
final class ChatSocketHandler implements WebSocketHandler {
    static final String SUBPROTOCOL = "confab.v1";

    private final Sessions sessions;
    private final ConnectionLimit limit;
    private final EventLoopQueues lanes;
    private final SessionSettings settings;
    private final SessionCounters counters;
    private final ClientAddresses addresses;
    private final @Nullable SessionIdentity unknown;
    private final Intakes intakes;

    /** Makes the intake of a session. */
    @FunctionalInterface
    interface Intakes {
        Intake of(byte[] clientAddress, SessionIdentity speaker, Intake.Session session);
    }

    /** @param unknown whom nobody has asked; null: there is no such socket */
    ChatSocketHandler(
            Sessions sessions,
            ConnectionLimit limit,
            EventLoopQueues lanes,
            SessionSettings settings,
            SessionCounters counters,
            ClientAddresses addresses,
            @Nullable SessionIdentity unknown,
            Intakes intakes) {
        this.sessions = sessions;
        this.limit = limit;
        this.lanes = lanes;
        this.settings = settings;
        this.counters = counters;
        this.addresses = addresses;
        this.unknown = unknown;
        this.intakes = intakes;
    }

    @Override
    public List<String> getSubProtocols() {
        return List.of(SUBPROTOCOL);
    }

    @Override
    public Mono<Void> handle(WebSocketSession socket) {
        String path = socket.getHandshakeInfo().getUri().getPath();
        String room = path.substring(path.indexOf(UpgradeRequests.PATH) + UpgradeRequests.PATH.length());
        if (!RoomId.isValid(room)) return refuse(socket, CloseCode.INVALID_ROOM);
        if (!(socket.getAttributes().get(GuardedUpgrade.CHANNEL) instanceof Channel channel))
            throw new IllegalStateException("the socket was not upgraded by GuardedUpgrade");
        SessionIdentity speaker = speaker(socket);
        if (!limit.tryAcquire()) {
            counters.turnedAway.increment();
            return refuse(socket, CloseCode.OVERLOADED);
        }
        ChatSession session;
        try {
            session = new ChatSession(
                    channel,
                    lanes.of(channel.eventLoop()),
                    new RoomId(room),
                    settings,
                    counters,
                    System::nanoTime,
                    self -> intakes.of(address(socket.getHandshakeInfo()), speaker, self));
        } catch (RuntimeException | Error failure) {
            limit.release();
            throw failure;
        }
        counters.opened.increment();
        if (!sessions.add(session)) counters.turnedAway.increment();
        try {
            return session.serve(socket).doFinally(unused -> gone(session));
        } catch (RuntimeException lostAlready) {
            gone(session);
            throw lostAlready;
        }
    }

    private SessionIdentity speaker(WebSocketSession socket) {
        if (socket.getAttributes().get(SessionIdentity.ATTRIBUTE) instanceof SessionIdentity known) return known;
        if (unknown == null) throw new IllegalStateException("a socket was upgraded, and nobody has asked who it is");
        return unknown;
    }

    private void gone(ChatSession session) {
        sessions.remove(session);
        counters.ended.increment();
        limit.release();
    }

    private static Mono<Void> refuse(WebSocketSession socket, CloseCode code) {
        return socket.close(new CloseStatus(code.number(), code.reason()));
    }

    private byte[] address(HandshakeInfo handshake) {
        List<String> forwardedFor = handshake.getHeaders().getOrEmpty(ClientAddresses.HEADER);
        InetAddress client = addresses.client(handshake.getRemoteAddress(), forwardedFor);
        return client == null ? new byte[0] : client.getAddress();
    }
}
