package chat.persistence.rollup;

import java.util.List;

/** Lengths of time by which activity is counted. Spans are aligned to multiples of their length since 1970, in UTC. */
public enum Span {
    MINUTE(60_000),
    TEN_MINUTES(600_000),
    HOUR(3_600_000),
    DAY(86_400_000);

    /** The longest first. */
    public static final List<Span> DESCENDING = List.of(values()).reversed();

    private final long millis;

    Span(long millis) {
        this.millis = millis;
    }

    public long millis() {
        return millis;
    }

    /** Value of {@code activity.span}. */
    public int seconds() {
        return (int) (millis / 1000);
    }

    /** Start of the span that contains this time. */
    public long floor(long at) {
        return Math.floorDiv(at, millis) * millis;
    }

    /** The same time if a span begins then, else the start of the next span. */
    public long ceiling(long at) {
        return Math.ceilDiv(at, millis) * millis;
    }
}
