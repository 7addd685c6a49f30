package chat.persistence.rollup;

import java.util.List;

/** The lengths of time that activity is counted by. All begin at multiples of themselves since 1970, in UTC. */
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

    /** How the table {@code activity} calls it. */
    public int seconds() {
        return (int) (millis / 1000);
    }

    /** When the span began that holds this moment. */
    public long floor(long at) {
        return Math.floorDiv(at, millis) * millis;
    }

    /** The same moment if a span begins then, else when the next one begins. */
    public long ceiling(long at) {
        return Math.ceilDiv(at, millis) * millis;
    }
}
