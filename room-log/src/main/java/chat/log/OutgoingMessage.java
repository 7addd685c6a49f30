package chat.log;

import chat.protocol.MessageType;
import chat.protocol.RoomId;
import java.util.UUID;

/**
 * A message on its way into the log.
 *
 * @param timestamp the server's clock at intake, milliseconds since 1970
 * @param clientAddress IPv4 or IPv6 in 4 or 16 bytes; empty where unknown; never sent to sockets
 * @param json as the sockets will get it, encoded once
 */
public record OutgoingMessage(
        RoomId room,
        UUID messageId,
        MessageType type,
        String userId,
        long timestamp,
        byte[] clientAddress,
        byte[] json) {}
