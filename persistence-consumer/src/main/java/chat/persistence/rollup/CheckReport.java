package chat.persistence.rollup;

import java.time.OffsetDateTime;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a comparison of the materialized views with the messages themselves has shown.
 *
 * @param equal whether there is no difference that expired rooms do not explain
 * @param asOf the moment that both sides show
 * @param messages counted
 * @param stored rows of {@code messages}
 * @param expired messages that were deleted with their rooms: they stay counted for users and times, and are no difference
 * @param note for people, where the two differ; else null
 * @param millis how long it took
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
     * @param differences rows that only one side has; a row whose figures differ is one on each side
     * @param examples a few of them
     */
    public record View(String view, long rows, long differences, List<String> examples) {}
}
