package chat.load.dialect;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.util.EnumSet;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Implements NATS without streams, over the WebSocket listener of nats-server; a room is a subject. The server sends
 * a stream of operations, which WebSocket messages may split anywhere.
 *
 * @see <a href="https://docs.nats.io/reference/reference-protocols/nats-protocol">NATS client protocol</a>
 */
final class Nats implements Dialect {
    static final String ROOMS = "room.";
    static final String JOINED = "joined.";

    @Override
    public String name() {
        return "nats";
    }

    @Override
    public Set<Feature> features() {
        return EnumSet.of(Feature.SEVERAL_ROOMS);
    }

    @Override
    public String path(String roomId) {
        return "/";
    }

    @Override
    public @Nullable String subprotocol() {
        return null;
    }

    @Override
    public boolean binary() {
        return true;
    }

    @Override
    public void hello(ByteBuf out) {
        // The server begins with INFO; the reader's reply answers it.
    }

    @Override
    public boolean greets() {
        return true;
    }

    /**
     * Subscriptions have no answer, but the server executes a socket's operations in order: once a message to itself
     * returns, the subscription is active. A PING would also work, but its answer could not name the room.
     */
    @Override
    public void join(ByteBuf out, Identity member, long resume) {
        String room = member.roomId();
        String id = subscription(room);
        String joined = JOINED + member.userId() + "." + room;
        ByteBufUtil.writeAscii(
                out,
                "SUB " + ROOMS + room + " " + id + "\r\n" + "SUB " + joined + " j" + id + "\r\nUNSUB j" + id
                        + " 1\r\nPUB " + joined + " 0\r\n\r\n");
    }

    /**
     * The same for all members of a room, so that they receive the same bytes, and different for each room of a
     * socket: the number at the end of its name. Short, as NATS clients choose it.
     */
    private static String subscription(String roomId) {
        return roomId.substring(roomId.lastIndexOf('-') + 1);
    }

    @Override
    public void text(ByteBuf out, Identity member, int number, UUID messageId, String text) {
        // ASCII: as many bytes as characters.
        String json = TextWalk.json(member, messageId, text);
        ByteBufUtil.writeAscii(out, "PUB " + ROOMS + member.roomId() + " " + json.length() + "\r\n" + json + "\r\n");
    }

    @Override
    public void leave(ByteBuf out, Identity member, UUID messageId) {
        ByteBufUtil.writeAscii(out, "UNSUB " + subscription(member.roomId()) + "\r\n");
    }

    @Override
    public FrameReader newReader() {
        return new NatsReader();
    }
}
