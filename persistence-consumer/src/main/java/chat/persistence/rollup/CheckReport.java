package chat.persistence.rollup;

import java.time.OffsetDateTime;
import java.util.List;

/**
 * What a comparison of the materialized views with the messages themselves has shown.
 *
 * @param equal whether there is no difference
 * @param asOf the moment that both sides show
 * @param messages counted
 * @param millis how long it took
 */
public record CheckReport(boolean equal, OffsetDateTime asOf, long messages, long millis, List<View> views) {

    /**
     * @param rows of the view
     * @param differences rows that only one side has; a row whose figures differ is one on each side
     * @param examples a few of them
     */
    public record View(String view, long rows, long differences, List<String> examples) {}
}
