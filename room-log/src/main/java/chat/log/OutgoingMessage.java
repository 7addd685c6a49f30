package chat.log;

import chat.protocol.MessageType;
import chat.protocol.RoomId;
import java.util.UUID;

/**
 * A message to be published.
 *
 * @param userId 1 to 255 ASCII characters
 * @param timestamp time at which the server accepted it, in milliseconds since 1970
 * @param clientAddress IPv4 or IPv6 in 4 or 16 bytes; empty if unknown; never sent to clients
 * @param json a JSON object, encoded once, as clients receive it
 */
@SuppressWarnings("ArrayRecordComponent") // messages are never compared
public record OutgoingMessage(
        RoomId room,
        UUID messageId,
        MessageType type,
        String userId,
        long timestamp,
        byte[] clientAddress,
        byte[] json) {

    public OutgoingMessage {
        // An entry that cannot be decoded must not get into the log.
        if (userId.isEmpty() || userId.length() > 255 || !userId.chars().allMatch(c -> c >= ' ' && c <= '~'))
            throw new IllegalArgumentException("userId must be 1 to 255 ASCII characters");
        if (!isAddressLength(clientAddress.length))
            throw new IllegalArgumentException("clientAddress must have 0, 4 or 16 bytes");
        if (json.length < 2) throw new IllegalArgumentException("json must be an object");
    }

    static boolean isAddressLength(int length) {
        return length == 0 || length == 4 || length == 16;
    }
}
