package chat.persistence.analytics;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Response to a {@link HistoryQuery}. Positions are decimal strings because JavaScript's numbers cannot hold them.
 *
 * @param messages by ascending position, in either paging direction
 * @param next value of {@code after} or {@code before} for the next page; null on the last page
 * @param storedThrough no message at or below this position will be stored later; null if nothing of the room's
 *     partition is stored
 * @param gaps ranges within the page whose messages may be lost
 */
record HistoryPage(
        String roomId,
        List<Message> messages,
        @Nullable String next,
        @Nullable String storedThrough,
        List<Gap> gaps) {

    /**
     * @param displayName absent if the user has only a username
     * @param message absent unless the type is TEXT
     * @param timestamp of intake, milliseconds since 1970
     */
    record Message(
            String position,
            String messageId,
            String messageType,
            String userId,
            String username,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            String displayName,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            String message,

            long timestamp,
            String serverId) {}

    /**
     * @param from position after which messages may be missing
     * @param to position up to which messages may be missing
     */
    record Gap(String from, String to) {}
}
