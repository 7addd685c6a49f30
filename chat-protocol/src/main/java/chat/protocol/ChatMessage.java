package chat.protocol;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Represents one message for clients, the log and the database.
 *
 * @param text null unless the type is TEXT
 * @param timestamp the server's clock at intake, milliseconds since 1970
 */
public record ChatMessage(
        UUID messageId,
        Member member,
        MessageType type,
        @Nullable String text,
        long timestamp) {}
