package chat.load.dialect;

import io.netty.buffer.ByteBuf;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Implements the protocol of one kind of chat server. Immutable and shared by all event loops; each event loop has
 * its own {@link FrameReader}.
 *
 * <p>A socket is upgraded, sends {@link #hello}, waits for a frame of type {@link Frame.Type#READY} if {@link
 * #greets} is true, joins its rooms, receives a WELCOME for each, and then sends and receives.
 */
public interface Dialect {
    /** The name on the command line. */
    String name();

    /** The guarantees of this kind of server; the report names the checks that are skipped. */
    Set<Feature> features();

    enum Feature {
        /** Each TEXT is acknowledged. Otherwise a TEXT counts as accepted when its sender receives it. */
        ACKS,
        /** All members of a room see one order. Otherwise only each sender's own order is kept. */
        ONE_ORDER,
        /** Frames contain positions, which ascend. */
        POSITIONS,
        /** A member that returns can receive what it missed. */
        RESUME,
        /** Accepted messages can be read back. */
        STORAGE,
        /** One socket can be in several rooms. */
        SEVERAL_ROOMS,
        /** LEAVE ends the stay, and everything before it is delivered first. */
        LEAVE
    }

    /** Path and query of the upgrade, such as {@code /chat/lobby}. */
    String path(String roomId);

    @Nullable
    String subprotocol();

    /** The token that a member sends with the upgrade; null: none. A connection uses that of its first member. */
    default @Nullable String token(Identity member) {
        return null;
    }

    /** Whether frames are sent as binary. */
    boolean binary();

    /** Writes the first message on a new socket; nothing if the server begins. */
    void hello(ByteBuf out);

    /** Whether the server sends READY before rooms can be joined. */
    boolean greets();

    /** @param resume the position to resume from, -1 for a fresh start */
    void join(ByteBuf out, Identity member, long resume);

    /**
     * @param number of the TEXT within its room, for servers that acknowledge by number
     * @param text ASCII that needs no escapes in JSON
     */
    void text(ByteBuf out, Identity member, int number, UUID messageId, String text);

    void leave(ByteBuf out, Identity member, UUID messageId);

    /** Creates a reader for one event loop. */
    FrameReader newReader();
}
