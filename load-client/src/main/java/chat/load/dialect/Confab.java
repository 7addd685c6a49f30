package chat.load.dialect;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Implements Confab's own protocol, version 1. */
final class Confab implements Dialect {
    private final @Nullable Tokens tokens;

    /** @param tokens null if the server requires none */
    Confab(@Nullable Tokens tokens) {
        this.tokens = tokens;
    }

    @Override
    public String name() {
        return "confab";
    }

    @Override
    public Set<Feature> features() {
        return EnumSet.allOf(Feature.class);
    }

    @Override
    public String path(String roomId) {
        return "/chat/" + roomId;
    }

    @Override
    public String subprotocol() {
        return "confab.v1";
    }

    @Override
    public @Nullable String token(Identity member) {
        return tokens == null ? null : tokens.of(member);
    }

    @Override
    public boolean binary() {
        return false;
    }

    @Override
    public void hello(ByteBuf out) {
        // The JOIN contains everything.
    }

    @Override
    public boolean greets() {
        return false;
    }

    @Override
    public void join(ByteBuf out, Identity member, long resume) {
        begin(out, "JOIN", member);
        if (resume >= 0) {
            ascii(out, "\",\"resume\":\"");
            ascii(out, Long.toString(resume));
        }
        ascii(out, "\"}");
    }

    @Override
    public void text(ByteBuf out, Identity member, int number, UUID messageId, String text) {
        begin(out, "TEXT", member);
        ascii(out, "\",\"messageId\":\"");
        ascii(out, messageId.toString());
        ascii(out, "\",\"message\":\"");
        ascii(out, text);
        ascii(out, "\"}");
    }

    @Override
    public void leave(ByteBuf out, Identity member, UUID messageId) {
        begin(out, "LEAVE", member);
        ascii(out, "\",\"messageId\":\"");
        ascii(out, messageId.toString());
        ascii(out, "\"}");
    }

    /** Writes the fields common to all frames, up to the middle of the last string. */
    private static void begin(ByteBuf out, String type, Identity member) {
        ascii(out, "{\"messageType\":\"");
        ascii(out, type);
        ascii(out, "\",\"roomId\":\"");
        ascii(out, member.roomId());
        ascii(out, "\",\"userId\":\"");
        ascii(out, member.userId());
        ascii(out, "\",\"username\":\"");
        ascii(out, member.username());
        ascii(out, "\",\"timestamp\":\"");
        ascii(out, Instant.now().toString());
    }

    private static void ascii(ByteBuf out, String text) {
        ByteBufUtil.writeAscii(out, text);
    }

    @Override
    public FrameReader newReader() {
        return new ConfabReader();
    }
}
