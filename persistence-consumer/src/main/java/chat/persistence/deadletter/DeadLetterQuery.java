package chat.persistence.deadletter;

import chat.protocol.RoomId;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Selects dead letters, oldest first.
 *
 * @param after id after which the page begins
 * @param room null: all rooms
 * @param reason prefix of the reason; null: any
 * @param state null: any
 */
record DeadLetterQuery(
        long after,
        int limit,
        @Nullable String room,
        @Nullable String reason,
        StoredDeadLetter.@Nullable State state) {
    static final int MAX_LIMIT = 500;
    private static final int DEFAULT_LIMIT = 50;
    private static final List<String> NAMES = List.of("after", "limit", "reason", "room", "state");

    /** Result of parsing a request. */
    sealed interface Parsed {
        record Valid(DeadLetterQuery query) implements Parsed {}

        /** @param errors readable by people, at least one */
        record Invalid(List<String> errors) implements Parsed {}
    }

    static Parsed parse(Map<String, List<String>> parameters) {
        List<String> errors = new ArrayList<>();
        for (String name : new TreeSet<>(parameters.keySet())) {
            if (!NAMES.contains(name)) errors.add("unknown parameter; accepted: " + String.join(", ", NAMES));
            else if (parameters.getOrDefault(name, List.of()).size() > 1) errors.add(name + " must be given once");
        }
        long after = number(parameters, "after", 0, Long.MAX_VALUE, 0, errors);
        int limit = (int) number(parameters, "limit", 1, MAX_LIMIT, DEFAULT_LIMIT, errors);
        String room = first(parameters, "room");
        if (room != null && !RoomId.isValid(room)) errors.add(RoomId.RULE);
        String reason = first(parameters, "reason");
        if (reason != null && (reason.isEmpty() || reason.length() > 100 || reason.indexOf('\0') >= 0))
            errors.add("reason must have 1 to 100 characters");
        String state = first(parameters, "state");
        StoredDeadLetter.State wanted = null;
        if (state == null) {
            wanted = StoredDeadLetter.State.OPEN;
        } else if (!state.equals("all")) {
            try {
                wanted = StoredDeadLetter.State.valueOf(state.toUpperCase(Locale.ROOT));
            } catch (IllegalArgumentException unknown) {
                errors.add("state must be open, replayed, discarded or all");
            }
        }
        return errors.isEmpty()
                ? new Parsed.Valid(new DeadLetterQuery(after, limit, room, reason, wanted))
                : new Parsed.Invalid(List.copyOf(errors));
    }

    private static @Nullable String first(Map<String, List<String>> parameters, String name) {
        List<String> values = parameters.get(name);
        if (values == null || values.isEmpty()) return null;
        return values.getFirst() == null ? "" : values.getFirst();
    }

    private static long number(
            Map<String, List<String>> parameters, String name, long min, long max, long usual, List<String> errors) {
        String text = first(parameters, name);
        if (text == null) return usual;
        long value = id(text);
        if (value >= min && value <= max) return value;
        errors.add(name + " must be a number, " + min + " to " + max);
        return usual;
    }

    /** -1 if the text is not a number. */
    static long id(String text) {
        if (!text.matches("[0-9]{1,19}")) return -1;
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException tooLarge) {
            return -1;
        }
    }
}
