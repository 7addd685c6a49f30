package chat.load.dialect;

import io.netty.buffer.ByteBuf;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One kind of chat server. Immutable and shared by all event loops; what reads its frames is a {@link FrameReader}, one for
 * each event loop.
 *
 * <p>A socket's life: it is upgraded, says {@link #hello}, waits for a frame of type {@link Frame.Type#READY} if
 * {@link #greets} says so, joins its rooms, is welcomed to each, and then sends and receives.
 */
public interface Dialect {
    /** As the command line names it. */
    String name();

    /** What this kind of server promises; what it does not promise is not judged, and the report says so. */
    Set<Feature> features();

    enum Feature {
        /** Each TEXT is acknowledged. Without it a TEXT counts as accepted when its sender receives it. */
        ACKS,
        /** All members of a room see one order. Without it each sender's own order is kept, and no more. */
        ONE_ORDER,
        /** Frames tell positions, which ascend. */
        POSITIONS,
        /** A member that comes back can have what it missed. */
        RESUME,
        /** What was accepted can be read back. */
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

    /** The token that a member's upgrade shows; null: none. A connection shows that of its first member. */
    default @Nullable String token(Identity member) {
        return null;
    }

    /** Whether frames go out as binary. */
    boolean binary();

    /** Writes what is said first on a fresh socket; nothing where the server begins. */
    void hello(ByteBuf out);

    /** Whether the server has to say READY before rooms can be joined. */
    boolean greets();

    /** @param resume the position to go on from, -1 for a fresh start */
    void join(ByteBuf out, Identity member, long resume);

    /**
     * @param number of the TEXT within its room, for servers that acknowledge by number
     * @param text ASCII that needs no escapes in JSON
     */
    void text(ByteBuf out, Identity member, int number, UUID messageId, String text);

    void leave(ByteBuf out, Identity member, UUID messageId);

    /** A reader for one event loop. */
    FrameReader newReader();
}
