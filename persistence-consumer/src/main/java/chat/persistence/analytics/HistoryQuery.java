package chat.persistence.analytics;

import chat.protocol.MessageType;
import chat.protocol.RoomId;
import java.time.OffsetDateTime;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A page of a room's messages.
 *
 * @param page from which end of which range
 * @param from intake time, inclusive; null: any
 * @param to intake time, exclusive; null: any
 * @param limit messages in the answer, at least 1; fewer or more so that it does not end within a position
 * @param types empty: all
 */
record HistoryQuery(
        RoomId room,
        Page page,
        @Nullable OffsetDateTime from,
        @Nullable OffsetDateTime to,
        int limit,
        Set<MessageType> types) {

    /** Whether an index has just these messages. Others may have to be looked for among many, however few they are. */
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
