package chat.persistence.deadletter;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A stored dead letter.
 *
 * @param messageId null: the bytes are a whole entry
 * @param size of the bytes
 * @param bytes empty in lists: an entry can have 512 KiB
 * @param state open, or how it was resolved
 * @param resolvedAt null while it is open
 */
@SuppressWarnings("ArrayRecordComponent") // bytes on their way out: letters are never compared
record StoredDeadLetter(
        long id,
        @Nullable UUID messageId,
        int partition,
        long position,
        @Nullable String roomId,
        String reason,
        @Nullable String serverId,
        @Nullable String clientIp,
        int size,
        byte[] bytes,
        Instant createdAt,
        State state,
        @Nullable Instant resolvedAt) {
    enum State {
        OPEN,
        REPLAYED,
        DISCARDED
    }
}
