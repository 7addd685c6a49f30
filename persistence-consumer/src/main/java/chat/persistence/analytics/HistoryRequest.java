package chat.persistence.analytics;

import chat.persistence.analytics.HistoryQuery.Page;
import chat.protocol.MessageType;
import chat.protocol.RoomId;
import java.time.DateTimeException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Makes a query of a request's words, or names everything that is wrong with them. */
final class HistoryRequest {
    static final int DEFAULT_LIMIT = 100;
    static final int MAX_LIMIT = 1000;

    private static final Set<String> NAMES = new TreeSet<>(Set.of("from", "to", "after", "before", "limit", "types"));
    private static final String POSITION = "must be a position: decimal digits, 0 to " + Long.MAX_VALUE;
    private static final String TIME =
            "must be an ISO-8601 time with an offset, years 1970 to 9999, like 2026-11-20T10:00:00Z (+ is %2B in a URL)";
    private static final String LIMIT = "must be a number, 1 to " + MAX_LIMIT;
    private static final String TYPES = "must be some of TEXT, JOIN, LEAVE, with commas between";

    private final Map<String, List<String>> parameters;
    private final List<String> errors = new ArrayList<>();

    private HistoryRequest(Map<String, List<String>> parameters) {
        this.parameters = parameters;
    }

    /** What a request comes to. */
    sealed interface Parsed {
        record Valid(HistoryQuery query) implements Parsed {}

        /** @param errors for people, at least one */
        record Invalid(List<String> errors) implements Parsed {}
    }

    static Parsed parse(String room, Map<String, List<String>> parameters) {
        return new HistoryRequest(parameters).parse(room);
    }

    private Parsed parse(String room) {
        if (!RoomId.isValid(room)) errors.add(RoomId.RULE);
        for (String name : new TreeSet<>(parameters.keySet()))
            if (!NAMES.contains(name))
                errors.add("there is no parameter " + quoted(name) + "; there are " + String.join(", ", NAMES));
        Long after = read("after", POSITION, HistoryRequest::position);
        Long before = read("before", POSITION, HistoryRequest::position);
        OffsetDateTime from = read("from", TIME, HistoryRequest::time);
        OffsetDateTime to = read("to", TIME, HistoryRequest::time);
        Integer limit = read("limit", LIMIT, HistoryRequest::limit);
        Set<MessageType> types = read("types", TYPES, HistoryRequest::types);
        if (parameters.containsKey("after") && parameters.containsKey("before"))
            errors.add("after and before exclude each other: pages go one way");
        if (from != null && to != null && from.isAfter(to)) errors.add("from must not be after to");
        if (!errors.isEmpty()) return new Parsed.Invalid(List.copyOf(errors));
        Page page = before == null ? new Page.After(after == null ? 0 : after) : new Page.Before(before);
        return new Parsed.Valid(new HistoryQuery(
                new RoomId(room),
                page,
                from,
                to,
                limit == null ? DEFAULT_LIMIT : limit,
                types == null ? Set.of() : types));
    }

    private <T> @Nullable T read(String name, String rule, Function<String, @Nullable T> reader) {
        List<String> values = parameters.get(name);
        if (values == null) return null;
        if (values.size() > 1) {
            errors.add(name + " must be given once");
            return null;
        }
        String text = values.getFirst() == null ? "" : values.getFirst();
        T value = reader.apply(text);
        if (value == null) errors.add(name + " " + rule + "; not " + quoted(text));
        return value;
    }

    private static String quoted(String text) {
        return '"' + (text.length() > 40 ? text.substring(0, 40) + "…" : text) + '"';
    }

    private static @Nullable Long position(String text) {
        if (!isNumber(text, 19)) return null;
        try {
            return Long.valueOf(text);
        } catch (NumberFormatException tooLarge) {
            return null;
        }
    }

    private static @Nullable Integer limit(String text) {
        if (!isNumber(text, 4)) return null;
        int limit = Integer.parseInt(text);
        return limit >= 1 && limit <= MAX_LIMIT ? limit : null;
    }

    private static boolean isNumber(String text, int maxDigits) {
        return !text.isEmpty() && text.length() <= maxDigits && text.chars().allMatch(c -> c >= '0' && c <= '9');
    }

    private static @Nullable OffsetDateTime time(String text) {
        if (text.length() > 40) return null;
        try {
            OffsetDateTime time = OffsetDateTime.parse(text);
            return time.getYear() >= 1970 && time.getYear() <= 9999 ? time : null;
        } catch (DateTimeException notATime) {
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
