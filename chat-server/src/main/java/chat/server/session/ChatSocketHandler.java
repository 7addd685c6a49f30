package chat.server.session;

import chat.protocol.CloseCode;
import chat.protocol.RoomId;
import chat.server.intake.Intake;
import chat.server.limit.ConnectionLimit;
import io.netty.channel.Channel;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.springframework.web.reactive.socket.CloseStatus;
import org.springframework.web.reactive.socket.WebSocketHandler;
import org.springframework.web.reactive.socket.WebSocketSession;
import reactor.core.publisher.Mono;

/** Serves {@code /chat/{roomId}}: one {@link ChatSession} for each socket. */
final class ChatSocketHandler implements WebSocketHandler {
    static final String SUBPROTOCOL = "confab.v1";
    static final String PATH = "/chat/";

    private final Sessions sessions;
    private final ConnectionLimit limit;
    private final Lanes lanes;
    private final SessionSettings settings;
    private final SessionCounters counters;
    private final BiFunction<byte[], Intake.Session, Intake> intakes;

    /** @param intakes makes the intake of a session from the client's address */
    ChatSocketHandler(
            Sessions sessions,
            ConnectionLimit limit,
            SessionSettings settings,
            SessionCounters counters,
            BiFunction<byte[], Intake.Session, Intake> intakes) {
        this.sessions = sessions;
        this.limit = limit;
        this.lanes = new Lanes(settings.handoverBytes());
        this.settings = settings;
        this.counters = counters;
        this.intakes = intakes;
    }

    @Override
    public List<String> getSubProtocols() {
        return List.of(SUBPROTOCOL);
    }

    @Override
    public Mono<Void> handle(WebSocketSession socket) {
        String path = socket.getHandshakeInfo().getUri().getPath();
        String room = path.substring(path.indexOf(PATH) + PATH.length());
        if (!RoomId.isValid(room)) return refuse(socket, CloseCode.INVALID_ROOM);
        if (!(socket.getAttributes().get(GuardedUpgrade.CHANNEL) instanceof Channel channel))
            throw new IllegalStateException("the socket was not upgraded by GuardedUpgrade");
        if (!limit.tryAcquire()) {
            counters.turnedAway.increment();
            return refuse(socket, CloseCode.OVERLOADED);
        }
        ChatSession session = new ChatSession(
                channel,
                lanes.of(channel.eventLoop()),
                new RoomId(room),
                settings,
                counters,
                self -> intakes.apply(address(socket.getHandshakeInfo().getRemoteAddress()), self));
        counters.opened.increment();
        if (!sessions.add(session)) counters.turnedAway.increment();
        try {
            return session.serve(socket).doFinally(unused -> gone(session));
        } catch (RuntimeException lostAlready) {
            gone(session);
            throw lostAlready;
        }
    }

    private void gone(ChatSession session) {
        sessions.remove(session);
        counters.ended.increment();
        limit.release();
    }

    private static Mono<Void> refuse(WebSocketSession socket, CloseCode code) {
        return socket.close(new CloseStatus(code.number(), code.reason()));
    }

    private static byte[] address(@Nullable InetSocketAddress remote) {
        return remote == null || remote.getAddress() == null
                ? new byte[0]
                : remote.getAddress().getAddress();
    }
}
