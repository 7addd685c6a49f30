package chat.load.lab.query;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A query with its parameters: one GET request. Null parameters are left out.
 *
 * @param after positions above this one
 * @param before positions below this one
 * @param from inclusive
 * @param to exclusive
 * @param limit rows in the answer; 0: left out
 */
record Question(
        Query query,
        @Nullable String roomId,
        @Nullable String userId,
        @Nullable Long after,
        @Nullable Long before,
        @Nullable Instant from,
        @Nullable Instant to,
        int limit) {

    /** Path and parameters, beginning with a slash. Ids and instants need no escapes. */
    String target() {
        String path = query.path();
        if (roomId != null) path = path.replace("{roomId}", roomId);
        if (userId != null) path = path.replace("{userId}", userId);
        StringBuilder target = new StringBuilder(path);
        char separator = '?';
        separator = append(target, separator, "after", after);
        separator = append(target, separator, "before", before);
        separator = append(target, separator, "from", from);
        separator = append(target, separator, "to", to);
        var unused = append(target, separator, "limit", limit == 0 ? null : limit);
        return target.toString();
    }

    private static char append(StringBuilder target, char separator, String name, @Nullable Object value) {
        if (value == null) return separator;
        target.append(separator).append(name).append('=').append(value);
        return '&';
    }
}
