package chat.server.room;

import chat.protocol.CloseCode;
import io.netty.buffer.ByteBuf;

/** A session as rooms see it. All methods may be called on any thread and never block. */
public interface Subscriber {
    /**
     * Hands over a complete WebSocket frame. The subscriber takes over one reference and releases it; what does not fit
     * its outbox closes it.
     */
    void send(ByteBuf webSocketFrame);

    /** Whether it has read so much that it may be sent a further page of history. */
    boolean keepsUp();

    /** Closes the socket; the first code wins. */
    void close(CloseCode code);

    boolean isOpen();
}
