package chat.server.room;

import chat.protocol.CloseCode;
import io.netty.buffer.ByteBuf;

/** A session as rooms see it. Methods may be called on any thread unless they say otherwise, and never block. */
public interface Subscriber {
    /** Its name in all lines about it in the program's own log. */
    String id();

    /** The event loop that writes to it: always the same. */
    EventLoopQueue lane();

    /**
     * Hands over a complete WebSocket frame, behind all that was handed to its lane before. The subscriber takes over one
     * reference and releases it; what does not fit its outbox closes it.
     */
    void send(ByteBuf webSocketFrame);

    /** The same on its lane's thread, at once; it is on its way with the next {@link #flush}. */
    void write(ByteBuf webSocketFrame);

    /** The same for one of its rooms: where, on the lane's thread, that is forbidden by now, the frame is only released. */
    default void send(ByteBuf webSocketFrame, Membership to) {
        if (to.isForbidden()) webSocketFrame.release();
        else send(webSocketFrame);
    }

    /** As {@link #write(ByteBuf)}, with the same condition, which holds while the frame waits for the socket, too. */
    default void write(ByteBuf webSocketFrame, Membership to) {
        if (to.isForbidden()) webSocketFrame.release();
        else write(webSocketFrame);
    }

    /** On its lane's thread. */
    void flush();

    /** Whether it has read so much that it may be sent a further page of history. */
    boolean keepsUp();

    /** Closes the socket; the first code wins. */
    void close(CloseCode code);

    /** The same, as it is too slow. */
    default void closeSlow(SlowCause cause) {
        close(CloseCode.SLOW);
    }

    boolean isOpen();

    /** Whether its user is known; without a token a client may claim to be any. */
    default boolean hasToken() {
        return tokenExpiresAt() != 0;
    }

    /** When the token of its session ends, milliseconds since 1970; 0: it has none. */
    default long tokenExpiresAt() {
        return 0;
    }
}
