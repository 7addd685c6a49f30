package chat.persistence.batch;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A message with a dead letter.
 *
 * @param roomId null where it could not be read
 * @param userId the sender; null where it could not be read
 */
public record UnstoredMessage(
        long position,
        UUID messageId,
        @Nullable String roomId,
        @Nullable String userId) {}
