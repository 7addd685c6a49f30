package chat.persistence.batch;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A message or entry that could not become a row, kept with the reason.
 *
 * @param messageId null if it could not be read
 * @param position of the message in the log, or of the whole entry if its messages could not be read
 * @param roomId null if it could not be read
 * @param userId the sender; null if it could not be read
 * @param serverId chat server that accepted it; null if unknown
 * @param clientIp as reported by that server; null if unknown
 * @param bytes the message's JSON, or the whole entry
 */
public record DeadLetter(
        @Nullable UUID messageId,
        long position,
        @Nullable String roomId,
        @Nullable String userId,
        String reason,
        @Nullable String serverId,
        @Nullable String clientIp,
        byte[] bytes) {}
