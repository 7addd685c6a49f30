package chat.persistence.batch;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What can't become a row, kept with the reason.
 *
 * @param messageId null where not even that could be read
 * @param position in the log, of the message, or of the whole entry where that could not be read
 * @param roomId null where not even that could be read
 * @param bytes the message's JSON, or the whole entry
 */
public record DeadLetter(
        @Nullable UUID messageId, long position, @Nullable String roomId, String reason, byte[] bytes) {}
