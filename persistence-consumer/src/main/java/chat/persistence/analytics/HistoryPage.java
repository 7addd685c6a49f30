package chat.persistence.analytics;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a {@link HistoryQuery}. Positions are decimal strings: JavaScript's numbers do not hold them.
 *
 * @param messages by ascending position, whichever way the pages go
 * @param next what to give as {@code after}, or as {@code before}, for the next page; null where there is none
 * @param storedThrough up to here the answer can be relied on: no message at or below it will be stored later; null where
 *     nothing of the room's partition is stored
 * @param gaps ranges of the answer in which messages may be missing for ever
 */
record HistoryPage(
        String roomId,
        List<Message> messages,
        @Nullable String next,
        @Nullable String storedThrough,
        List<Gap> gaps) {

    /**
     * @param displayName absent where people see the username
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
     * @param from position after which something may be missing
     * @param to position up to which something may be missing
     */
    record Gap(String from, String to) {}
}
