package chat.persistence.batch;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A message that has a dead letter instead of a row.
 *
 * @param roomId null if it could not be read
 * @param userId the sender; null if it could not be read
 */
public record UnstoredMessage(
        long position,
        UUID messageId,
        @Nullable String roomId,
        @Nullable String userId) {}
