package chat.persistence.analytics;

import chat.protocol.MessageType;
import chat.protocol.RoomId;
import java.time.OffsetDateTime;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A page of a room's messages.
 *
 * @param page position to start from, and the direction
 * @param from intake time, inclusive; null: no bound
 * @param to intake time, exclusive; null: no bound
 * @param limit messages per page, at least 1; a page holds fewer or more so that it does not end within a position
 * @param types empty: all
 */
record HistoryQuery(
        RoomId room,
        Page page,
        @Nullable OffsetDateTime from,
        @Nullable OffsetDateTime to,
        int limit,
        Set<MessageType> types) {

    /** Whether an index holds exactly these messages. Other queries may scan many rows to find a few. */
    boolean byPositionAlone() {
        return from == null && to == null && types.isEmpty();
    }

    sealed interface Page {
        /** The first messages above a position. */
        record After(long position) implements Page {}

        /** The last messages below a position. */
        record Before(long position) implements Page {}
    }
}
