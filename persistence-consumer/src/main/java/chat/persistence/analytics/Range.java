package chat.persistence.analytics;

import java.time.Duration;
import java.time.Instant;

/**
 * A range of time.
 *
 * @param from milliseconds since 1970, inclusive
 * @param to milliseconds since 1970, exclusive
 */
record Range(long from, long to) {
    /** The range of this length that ends now. */
    static Range last(Duration length, Instant now) {
        return new Range(now.minus(length).toEpochMilli(), now.toEpochMilli());
    }

    /** Widened to multiples of a unit. */
    Range rounded(long unit) {
        return new Range(Math.floorDiv(from, unit) * unit, Math.ceilDiv(to, unit) * unit);
    }
}
