package chat.server.room;

import chat.protocol.MessageType;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What comes back with a message of ours when it has been read from the log, or refused.
 *
 * @param clientMessageId the id that the client gave, or null: what a refusal is told by
 */
public record PendingAck(
        Membership by, MessageType type, @Nullable UUID clientMessageId) {}
