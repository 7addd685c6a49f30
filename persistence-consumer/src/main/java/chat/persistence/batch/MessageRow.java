package chat.persistence.batch;

import chat.protocol.MessageType;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A row of the table of messages.
 *
 * @param displayName null if the sender has only a username
 * @param content null unless the type is TEXT
 * @param timestamp the server's clock at intake, milliseconds since 1970
 * @param position in the log
 * @param serverId chat server that accepted it
 * @param clientIp numeric; null if unknown
 * @param json the message as received, for the dead letter if the database rejects the row
 */
public record MessageRow(
        UUID messageId,
        String roomId,
        String userId,
        String username,
        @Nullable String displayName,
        MessageType type,
        @Nullable String content,
        long timestamp,
        long position,
        String serverId,
        @Nullable String clientIp,
        byte[] json) {

    /** The same message under another id. */
    public MessageRow withId(UUID id) {
        return new MessageRow(
                id,
                roomId,
                userId,
                username,
                displayName,
                type,
                content,
                timestamp,
                position,
                serverId,
                clientIp,
                json);
    }

    /** A message whose sender has only a username. */
    public MessageRow(
            UUID messageId,
            String roomId,
            String userId,
            String username,
            MessageType type,
            @Nullable String content,
            long timestamp,
            long position,
            String serverId,
            @Nullable String clientIp,
            byte[] json) {
        this(messageId, roomId, userId, username, null, type, content, timestamp, position, serverId, clientIp, json);
    }

    public DeadLetter refused(String reason) {
        return new DeadLetter(messageId, position, roomId, userId, reason, serverId, clientIp, json);
    }
}
