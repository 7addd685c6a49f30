package chat.persistence.analytics;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads the parameters of a request, each at most once, and collects all errors. Parameters that the caller never
 * reads are unknown, and each of them is an error. Not thread-safe.
 */
final class RequestParams {
    private static final String TIME =
            "must be an ISO-8601 time with an offset, years 1970 to 9999, like 2026-11-20T10:00:00Z (+ is %2B in a URL)";
    private static final int SHOWN = 40;

    private final Map<String, String> path;
    private final Map<String, List<String>> parameters;
    private final Set<String> names = new TreeSet<>();
    private final List<String> errors = new ArrayList<>();

    /** @param path path variables, by their name in the template */
    RequestParams(Map<String, String> path, Map<String, List<String>> parameters) {
        this.path = path;
        this.parameters = parameters;
    }

    /** Names of the parameters that were read, whether present or not. */
    Set<String> names() {
        return names;
    }

    /** All errors, readable by people; empty if the request is valid. */
    List<String> errors() {
        List<String> all = new ArrayList<>(errors);
        for (String name : new TreeSet<>(parameters.keySet()))
            if (!names.contains(name))
                all.add("unknown parameter " + quoted(name)
                        + (names.isEmpty() ? "" : "; accepted: " + String.join(", ", names)));
        return List.copyOf(all);
    }

    void wrong(String error) {
        errors.add(error);
    }

    boolean has(String name) {
        return parameters.containsKey(name);
    }

    String inPath(String name) {
        return path.getOrDefault(name, "");
    }

    /**
     * @param rule error text, used if the reader returns null
     * @return null if the parameter is absent or invalid
     */
    <T> @Nullable T read(String name, String rule, Function<String, @Nullable T> reader) {
        names.add(name);
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

    int limit(int usual, int max) {
        Integer limit = read("limit", "must be a number, 1 to " + max, text -> {
            if (!isNumber(text, 6)) return null;
            int number = Integer.parseInt(text);
            return number >= 1 && number <= max ? number : null;
        });
        return limit == null ? usual : limit;
    }

    @Nullable
    OffsetDateTime time(String name) {
        return read(name, TIME, RequestParams::parsedTime);
    }

    /**
     * Reads {@code from}, inclusive, and {@code to}, exclusive: both or none.
     *
     * @return null if they are absent or invalid
     */
    @Nullable
    Range range(Duration longest) {
        OffsetDateTime from = time("from");
        OffsetDateTime to = time("to");
        if (has("from") != has("to")) errors.add("from and to belong together: give both or none");
        if (from == null || to == null) return null;
        if (from.isAfter(to)) errors.add("from must not be after to");
        if (Duration.between(from, to).compareTo(longest) > 0)
            errors.add("from and to may be at most " + inWords(longest) + " apart");
        return new Range(millisAtOrAfter(from), millisAtOrAfter(to));
    }

    /** Rounds up: times are stored in whole milliseconds. */
    private static long millisAtOrAfter(OffsetDateTime time) {
        long millis = time.toInstant().toEpochMilli();
        return time.getNano() % 1_000_000 == 0 ? millis : millis + 1;
    }

    private static String inWords(Duration longest) {
        if (longest.toDays() > 1) return longest.toDays() + " days";
        return longest.toHours() == 1 ? "1 hour" : longest.toHours() + " hours";
    }

    static String quoted(String text) {
        return '"' + (text.length() > SHOWN ? text.substring(0, SHOWN) + "…" : text) + '"';
    }

    static boolean isNumber(String text, int maxDigits) {
        return !text.isEmpty() && text.length() <= maxDigits && text.chars().allMatch(c -> c >= '0' && c <= '9');
    }

    private static @Nullable OffsetDateTime parsedTime(String text) {
        if (text.length() > SHOWN) return null;
        try {
            OffsetDateTime time = OffsetDateTime.parse(text);
            return time.getYear() >= 1970 && time.getYear() <= 9999 ? time : null;
        } catch (DateTimeException notATime) {
            return null;
        }
    }
}
