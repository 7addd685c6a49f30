package chat.log;

import chat.protocol.MessageType;
import chat.protocol.RoomId;
import java.util.UUID;

/**
 * A message on its way into the log.
 *
 * @param userId 1 to 255 ASCII characters
 * @param timestamp the server's clock at intake, milliseconds since 1970
 * @param clientAddress IPv4 or IPv6 in 4 or 16 bytes; empty where unknown; never sent to sockets
 * @param json as the sockets will get it, encoded once; an object
 */
@SuppressWarnings("ArrayRecordComponent") // bytes on their way to the log: messages are never compared
public record OutgoingMessage(
        RoomId room,
        UUID messageId,
        MessageType type,
        String userId,
        long timestamp,
        byte[] clientAddress,
        byte[] json) {

    public OutgoingMessage {
        // What can't be read back must not get into the log.
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
