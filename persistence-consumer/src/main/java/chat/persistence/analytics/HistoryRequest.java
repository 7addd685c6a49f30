package chat.persistence.analytics;

import chat.persistence.analytics.HistoryQuery.Page;
import chat.protocol.MessageType;
import chat.protocol.RoomId;
import java.time.OffsetDateTime;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Parses the parameters of a room history request. */
final class HistoryRequest {
    static final int DEFAULT_LIMIT = 100;
    static final int MAX_LIMIT = 1000;
    static final String ROOM = "roomId";

    private static final String POSITION = "must be a position: decimal digits, 0 to " + Long.MAX_VALUE;
    private static final String TYPES = "must be a comma-separated list of TEXT, JOIN, LEAVE";

    private HistoryRequest() {}

    /** The result is meaningless if {@code words} has errors. */
    static HistoryQuery read(RequestParams words) {
        RoomId room = room(words);
        Long after = words.read("after", POSITION, HistoryRequest::position);
        Long before = words.read("before", POSITION, HistoryRequest::position);
        Times times = Times.of(words);
        int limit = words.limit(DEFAULT_LIMIT, MAX_LIMIT);
        Set<MessageType> types = types(words);
        excludeEachOther(words);
        Page page = before == null ? new Page.After(after == null ? 0 : after) : new Page.Before(before);
        return new HistoryQuery(room, page, times.from(), times.to(), limit, types);
    }

    static RoomId room(RequestParams words) {
        String room = words.inPath(ROOM);
        if (RoomId.isValid(room)) return new RoomId(room);
        words.wrong(RoomId.RULE);
        return new RoomId("0");
    }

    /** A time range; null: from the beginning, or to the end. */
    record Times(@Nullable OffsetDateTime from, @Nullable OffsetDateTime to) {
        static Times of(RequestParams words) {
            Times times = new Times(words.time("from"), words.time("to"));
            if (times.from != null && times.to != null && times.from.isAfter(times.to))
                words.wrong("from must not be after to");
            return times;
        }
    }

    static void excludeEachOther(RequestParams words) {
        if (words.has("after") && words.has("before")) words.wrong("give either after or before, not both");
    }

    static Set<MessageType> types(RequestParams words) {
        Set<MessageType> types = words.read("types", TYPES, HistoryRequest::types);
        return types == null ? Set.of() : types;
    }

    static @Nullable Long position(String text) {
        if (!RequestParams.isNumber(text, 19)) return null;
        try {
            return Long.valueOf(text);
        } catch (NumberFormatException tooLarge) {
            return null;
        }
    }

    private static @Nullable Set<MessageType> types(String text) {
        EnumSet<MessageType> types = EnumSet.noneOf(MessageType.class);
        if (text.length() > 40) return null;
        for (String name : text.split(",", -1)) {
            try {
                types.add(MessageType.valueOf(name));
            } catch (IllegalArgumentException unknown) {
                return null;
            }
        }
        return types;
    }
}
