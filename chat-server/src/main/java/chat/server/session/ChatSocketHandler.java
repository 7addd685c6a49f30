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

/** Serves {@code /chat/{roomId}} with one {@link ChatSession} per socket. */
final class ChatSocketHandler implements WebSocketHandler {
    static final String SUBPROTOCOL = "confab.v1";

    private final Sessions sessions;
    private final ConnectionLimit limit;
    private final EventLoopQueues queues;
    private final SessionSettings settings;
    private final SessionCounters counters;
    private final ClientAddresses addresses;
    private final @Nullable SessionIdentity withoutToken;
    private final Intakes intakes;

    /** Creates the intake of a session. */
    @FunctionalInterface
    interface Intakes {
        Intake of(byte[] clientAddress, SessionIdentity identity, Intake.Session session);
    }

    /** @param withoutToken identity of sockets without a token; null: every socket has one */
    ChatSocketHandler(
            Sessions sessions,
            ConnectionLimit limit,
            EventLoopQueues queues,
            SessionSettings settings,
            SessionCounters counters,
            ClientAddresses addresses,
            @Nullable SessionIdentity withoutToken,
            Intakes intakes) {
        this.sessions = sessions;
        this.limit = limit;
        this.queues = queues;
        this.settings = settings;
        this.counters = counters;
        this.addresses = addresses;
        this.withoutToken = withoutToken;
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
        if (!RoomId.isValid(room)) return reject(socket, CloseCode.INVALID_ROOM);
        if (!(socket.getAttributes().get(GuardedUpgrade.CHANNEL) instanceof Channel channel))
            throw new IllegalStateException("the socket was not upgraded by GuardedUpgrade");
        SessionIdentity identity = identity(socket);
        if (!limit.tryAcquire()) {
            counters.turnedAway.increment();
            return reject(socket, CloseCode.OVERLOADED);
        }
        ChatSession session;
        try {
            session = new ChatSession(
                    channel,
                    queues.of(channel.eventLoop()),
                    new RoomId(room),
                    settings,
                    counters,
                    System::nanoTime,
                    self -> intakes.of(address(socket.getHandshakeInfo()), identity, self));
        } catch (RuntimeException | Error failure) {
            limit.release();
            throw failure;
        }
        counters.opened.increment();
        if (!sessions.add(session)) counters.turnedAway.increment();
        try {
            return session.serve(socket).doFinally(signal -> ended(session));
        } catch (RuntimeException connectionLost) {
            ended(session);
            throw connectionLost;
        }
    }

    private SessionIdentity identity(WebSocketSession socket) {
        if (socket.getAttributes().get(SessionIdentity.ATTRIBUTE) instanceof SessionIdentity known) return known;
        if (withoutToken == null) throw new IllegalStateException("a socket was upgraded without a check of its token");
        return withoutToken;
    }

    private void ended(ChatSession session) {
        sessions.remove(session);
        counters.ended.increment();
        limit.release();
    }

    private static Mono<Void> reject(WebSocketSession socket, CloseCode code) {
        return socket.close(new CloseStatus(code.number(), code.reason()));
    }

    private byte[] address(HandshakeInfo handshake) {
        List<String> forwardedFor = handshake.getHeaders().getOrEmpty(ClientAddresses.HEADER);
        InetAddress client = addresses.client(handshake.getRemoteAddress(), forwardedFor);
        return client == null ? new byte[0] : client.getAddress();
    }
}
