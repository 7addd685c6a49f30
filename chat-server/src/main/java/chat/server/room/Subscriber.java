package chat.server.room;

import chat.protocol.CloseCode;
import io.netty.buffer.ByteBuf;

/** A session as rooms see it. Methods may be called on any thread unless they say otherwise, and never block. */
public interface Subscriber {
    /** The session id that log lines use. */
    String id();

    /** The queue of the event loop that writes to the socket; never changes. */
    EventLoopQueue queue();

    /**
     * Sends a complete WebSocket frame after all frames submitted to its event loop before. Takes ownership of one
     * reference. Closes the session if the frame exceeds the bound of its outbox.
     */
    void send(ByteBuf webSocketFrame);

    /** Writes a frame immediately; must be called on the event loop. The next {@link #flush} sends it. */
    void write(ByteBuf webSocketFrame);

    /** Sends a frame of one of its rooms; only releases it if the room is forbidden by then. */
    default void send(ByteBuf webSocketFrame, Membership to) {
        if (to.isForbidden()) webSocketFrame.release();
        else send(webSocketFrame);
    }

    /** Writes a frame of one of its rooms; only releases it if the room is forbidden before it is sent. */
    default void write(ByteBuf webSocketFrame, Membership to) {
        if (to.isForbidden()) webSocketFrame.release();
        else write(webSocketFrame);
    }

    /** Sends the written frames; must be called on the event loop. */
    void flush();

    /** Whether the client has read enough to receive another page of history. */
    boolean keepsUp();

    /** Closes the socket. If called more than once, the first code counts. */
    void close(CloseCode code);

    /** Closes the socket as a slow consumer. */
    default void closeSlow(SlowCause cause) {
        close(CloseCode.SLOW);
    }

    boolean isOpen();

    /** Whether a token proves the user; without a token a client may claim any userId. */
    default boolean hasToken() {
        return tokenExpiresAt() != 0;
    }

    /** Expiry of the session's token in milliseconds since 1970; 0 if the session has no token. */
    default long tokenExpiresAt() {
        return 0;
    }
}
