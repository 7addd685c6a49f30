package chat.server.room;

import chat.protocol.MessageType;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The sender of a message of this server; returned when the message has been read back or rejected.
 *
 * @param clientMessageId the id from the client, which a rejection names; null if the client gave none
 */
public record PendingAck(
        Membership by, MessageType type, @Nullable UUID clientMessageId) {}
