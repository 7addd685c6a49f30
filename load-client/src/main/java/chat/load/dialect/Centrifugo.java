package chat.load.dialect;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.util.EnumSet;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Implements Centrifugo's client protocol in JSON; a room is a channel in the namespace {@code room}. Tested with
 * version 5.4.9.
 *
 * @see <a href="https://centrifugal.dev/docs/transports/client_protocol">client protocol</a>
 */
final class Centrifugo implements Dialect {
    static final String CHANNELS = "room:";
    static final int CONNECT_ID = 1;
    static final int JOIN_ID = 2;
    static final int LEAVE_ID = 3;
    static final int FIRST_TEXT_ID = 4;

    @Override
    public String name() {
        return "centrifugo";
    }

    /** Publications of several clients at the same time have no guaranteed order. */
    @Override
    public Set<Feature> features() {
        return EnumSet.of(Feature.ACKS);
    }

    @Override
    public String path(String roomId) {
        return "/connection/websocket";
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
        ByteBufUtil.writeAscii(out, "{\"id\":" + CONNECT_ID + ",\"connect\":{}}");
    }

    @Override
    public boolean greets() {
        return true;
    }

    @Override
    public void join(ByteBuf out, Identity member, long resume) {
        command(out, JOIN_ID, "subscribe", member, "");
    }

    @Override
    public void text(ByteBuf out, Identity member, int number, UUID messageId, String text) {
        command(out, FIRST_TEXT_ID + number, "publish", member, ",\"data\":" + TextWalk.json(member, messageId, text));
    }

    @Override
    public void leave(ByteBuf out, Identity member, UUID messageId) {
        command(out, LEAVE_ID, "unsubscribe", member, "");
    }

    private static void command(ByteBuf out, int id, String name, Identity member, String more) {
        ByteBufUtil.writeAscii(
                out,
                "{\"id\":" + id + ",\"" + name + "\":{\"channel\":\"" + CHANNELS + member.roomId() + "\"" + more
                        + "}}");
    }

    @Override
    public FrameReader newReader() {
        return new CentrifugoReader();
    }
}
