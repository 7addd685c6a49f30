package chat.persistence.analytics;

import chat.persistence.rollup.Span;
import java.util.ArrayList;
import java.util.List;

/**
 * Splits a time range into the fewest whole spans, plus the partial minutes at both ends. A range of any length needs
 * at most 18 minutes, 10 spans of ten minutes, 46 hours and the days between.
 *
 * @param whole runs of whole spans
 * @param parts partial minutes: none, one or two
 */
record Cover(List<Run> whole, List<Part> parts) {
    /**
     * Adjacent spans of one length.
     *
     * @param from start of the first span, milliseconds since 1970
     * @param to end of the last span, milliseconds since 1970
     */
    record Run(Span span, long from, long to) {}

    /** @param minute start of the minute, milliseconds since 1970 */
    record Part(long minute, Range range) {}

    static Cover of(Range range) {
        List<Part> parts = new ArrayList<>();
        long first = Span.MINUTE.ceiling(range.from());
        long last = Span.MINUTE.floor(range.to());
        if (first > last) {
            // The range begins and ends within one minute.
            if (range.from() < range.to()) parts.add(new Part(last, range));
            return new Cover(List.of(), parts);
        }
        if (range.from() < first) parts.add(new Part(first - Span.MINUTE.millis(), new Range(range.from(), first)));
        if (last < range.to()) parts.add(new Part(last, new Range(last, range.to())));
        return new Cover(runs(first, last), parts);
    }

    private static List<Run> runs(long from, long to) {
        List<Run> runs = new ArrayList<>();
        long at = from;
        while (at < to) {
            Span span = longest(at, to);
            long end = at + span.millis();
            while (end < to && longest(end, to) == span) end += span.millis();
            runs.add(new Run(span, at, end));
            at = end;
        }
        return runs;
    }

    private static Span longest(long at, long to) {
        for (Span span : Span.DESCENDING) if (span.floor(at) == at && at + span.millis() <= to) return span;
        throw new IllegalArgumentException(at + " to " + to + " are not whole minutes");
    }
}
