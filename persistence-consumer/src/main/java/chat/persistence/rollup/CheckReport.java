package chat.persistence.rollup;

import java.time.OffsetDateTime;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Result of comparing the materialized views with the messages.
 *
 * @param equal whether all differences are explained by expired rooms
 * @param asOf time of the snapshot of both sides
 * @param messages number counted
 * @param stored rows of {@code messages}
 * @param expired messages deleted with their rooms: they stay counted for users and times, and are no difference
 * @param note explains a difference to people; null if there is none
 * @param millis duration of the check
 */
public record CheckReport(
        boolean equal,
        OffsetDateTime asOf,
        long messages,
        long stored,
        long expired,
        @Nullable String note,
        long millis,
        List<View> views) {

    /**
     * @param rows of the view
     * @param differences rows that only one side has; a row whose figures differ counts once for each side
     * @param examples some of them
     */
    public record View(String view, long rows, long differences, List<String> examples) {}
}
