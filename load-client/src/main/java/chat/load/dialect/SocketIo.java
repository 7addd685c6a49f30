package chat.load.dialect;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.util.EnumSet;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Implements the chat in {@code peers/socketio}: Socket.IO protocol 5 on Engine.IO protocol 4, over WebSocket from
 * the start, in the main namespace.
 *
 * @see <a href="https://socket.io/docs/v4/engine-io-protocol/">Engine.IO protocol</a>
 * @see <a href="https://socket.io/docs/v4/socket-io-protocol/">Socket.IO protocol</a>
 */
final class SocketIo implements Dialect {
    /**
     * JOIN requests acknowledgement 0, TEXTs those after it. Rooms of one socket use the same numbers, because the
     * server's answers contain the room.
     */
    static final int JOIN_ANSWER = 0;

    static final int FIRST_TEXT_ANSWER = 1;

    @Override
    public String name() {
        return "socketio";
    }

    @Override
    public Set<Feature> features() {
        return EnumSet.of(Feature.ACKS, Feature.ONE_ORDER, Feature.SEVERAL_ROOMS);
    }

    @Override
    public String path(String roomId) {
        return "/socket.io/?EIO=4&transport=websocket";
    }

    @Override
    public @Nullable String subprotocol() {
        return null;
    }

    @Override
    public boolean binary() {
        return false;
    }

    @Override
    public void hello(ByteBuf out) {
        // The server begins; the reader's reply answers it.
    }

    @Override
    public boolean greets() {
        return true;
    }

    @Override
    public void join(ByteBuf out, Identity member, long resume) {
        ByteBufUtil.writeAscii(out, "42" + JOIN_ANSWER + "[\"join\"," + who(member) + "]");
    }

    @Override
    public void text(ByteBuf out, Identity member, int number, UUID messageId, String text) {
        ByteBufUtil.writeAscii(
                out,
                "42" + (FIRST_TEXT_ANSWER + number) + "[\"message\"," + TextWalk.json(member, messageId, text) + "]");
    }

    @Override
    public void leave(ByteBuf out, Identity member, UUID messageId) {
        ByteBufUtil.writeAscii(out, "42[\"leave\"," + who(member) + "]");
    }

    private static String who(Identity member) {
        return "{\"roomId\":\"" + member.roomId() + "\",\"userId\":\"" + member.userId() + "\",\"username\":\""
                + member.username() + "\"}";
    }

    @Override
    public FrameReader newReader() {
        return new SocketIoReader();
    }
}
