package chat.protocol;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Derives a new id for an accepted message whose sender had already used its id in the same room for another message.
 * The id depends only on the message, so that every chat server and the consumer derive the same one, and a message
 * that is in the log twice stays one message.
 */
public final class DerivedId {
    private static final int TIME_BITS = 48;
    /** RFC 9562 reserves version 8 for applications. Clients may not choose such ids. */
    private static final long VERSION = 8;

    private static final long TIME = -1L << (Long.SIZE - TIME_BITS);
    private static final long BELOW_VERSION = 0xfff;
    private static final long VARIANT = 0x8000_0000_0000_0000L;
    private static final long BELOW_VARIANT = 0x3fff_ffff_ffff_ffffL;

    private DerivedId() {}

    /**
     * Returns the derived id.
     *
     * @param id the original id; its first 48 bits are kept, so that the row stays in the same monthly partition
     * @param text null unless the type is TEXT
     * @param timestamp time of intake; used only if there is no text
     */
    public static UUID of(
            UUID id, RoomId room, String userId, MessageType type, @Nullable String text, long timestamp) {
        MessageDigest digest = sha256();
        digest.update(ByteBuffer.allocate(2 * Long.BYTES)
                .putLong(id.getMostSignificantBits())
                .putLong(id.getLeastSignificantBits())
                .flip());
        part(digest, room.value());
        part(digest, userId);
        part(digest, type.name());
        part(digest, text != null ? text : Long.toString(timestamp));
        ByteBuffer hash = ByteBuffer.wrap(digest.digest());
        long high = (id.getMostSignificantBits() & TIME) | (VERSION << 12) | (hash.getLong() & BELOW_VERSION);
        return new UUID(high, VARIANT | (hash.getLong() & BELOW_VARIANT));
    }

    /** Returns the derived id of a message from the log. */
    public static UUID of(RoomId room, ChatMessage message) {
        return of(
                message.messageId(),
                room,
                message.member().userId(),
                message.type(),
                message.text(),
                message.timestamp());
    }

    /** Returns whether the id may be a derived one, which clients may not choose. */
    public static boolean isReserved(UUID id) {
        return id.version() == VERSION;
    }

    /** Adds the part with its length, so that two different lists of parts never produce the same bytes. */
    private static void part(MessageDigest digest, String part) {
        byte[] bytes = part.getBytes(StandardCharsets.UTF_8);
        digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(bytes.length).flip());
        digest.update(bytes);
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every Java platform has SHA-256", impossible);
        }
    }
}
