package chat.log;

import chat.protocol.RoomId;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

/**
 * A message of the log that the consumer could not store. Its sender is notified.
 *
 * @param messageId the id that the sender chose
 * @param userId the sender; 1 to 255 ASCII characters
 */
public record NotStored(long position, UUID messageId, RoomId room, String userId) {
    private static final int FIXED_BYTES = 3 * Long.BYTES + 2;
    private static final int MAX_USER_ID = 255;

    public NotStored {
        if (!isUserId(userId)) throw new IllegalArgumentException("userId must be 1 to 255 ASCII characters");
    }

    /** Whether the text is a valid user id: 1 to 255 printable ASCII characters. */
    public static boolean isUserId(String text) {
        return !text.isEmpty() && text.length() <= MAX_USER_ID && text.chars().allMatch(c -> c >= ' ' && c <= '~');
    }

    int length() {
        return FIXED_BYTES + room.value().length() + userId.length();
    }

    void write(ByteBuffer to) {
        to.putLong(position).putLong(messageId.getMostSignificantBits()).putLong(messageId.getLeastSignificantBits());
        text(to, room.value());
        text(to, userId);
    }

    static NotStored read(ByteBuffer from) {
        long position = from.getLong();
        UUID messageId = new UUID(from.getLong(), from.getLong());
        return new NotStored(position, messageId, new RoomId(text(from)), text(from));
    }

    private static void text(ByteBuffer to, String text) {
        to.put((byte) text.length()).put(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static String text(ByteBuffer from) {
        byte[] text = new byte[from.get() & 0xff];
        from.get(text);
        return new String(text, StandardCharsets.US_ASCII);
    }
}
