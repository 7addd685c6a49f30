package chat.persistence.batch;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What can't become a row, kept with the reason.
 *
 * @param messageId null where not even that could be read
 * @param position in the log, of the message, or of the whole entry where that could not be read
 * @param roomId null where not even that could be read
 * @param userId the sender; null where not even that could be read
 * @param serverId of the chat server that took it in; null where that is not known
 * @param clientIp as that server gave it; null where unknown
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
