package chat.server.session;

import chat.protocol.CloseCode;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Life cycle of a session, in this order:
 *
 * <ol>
 *   <li>open: reads and writes frames,
 *   <li>closing: a close code is set, and the session drops incoming frames until the connection closes,
 *   <li>ended: the connection is closed, and the session has left its rooms.
 * </ol>
 *
 * <p>A session whose client closes first goes from open to ended with {@link CloseCode#NORMAL}.
 */
final class SessionState {
    private final AtomicReference<@Nullable CloseCode> code = new AtomicReference<>();
    private boolean ended;

    /** Any thread. */
    boolean isOpen() {
        return code.get() == null;
    }

    /** The code of the close; null while the session is open. Any thread. */
    @Nullable
    CloseCode code() {
        return code.get();
    }

    /** Moves from open to closing; returns false if the session is closing or has ended. Any thread. */
    boolean close(CloseCode reason) {
        return code.compareAndSet(null, reason);
    }

    /** Moves to ended; returns false if the session has ended already. On the event loop. */
    boolean end() {
        if (ended) return false;
        ended = true;
        close(CloseCode.NORMAL);
        return true;
    }
}
