package chat.persistence.analytics;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What is sent: the figures, and how old they are now.
 *
 * @param asOf milliseconds since 1970: everything that was stored before is in the figures; null: not everything is yet
 * @param ageMillis since then
 */
record Answer(
        @Nullable Long asOf,
        @Nullable Long ageMillis,
        @JsonUnwrapped Object figures) {
    static Answer of(Aged<?> aged, Instant now) {
        Long asOf = aged.asOf();
        return new Answer(asOf, asOf == null ? null : Math.max(0, now.toEpochMilli() - asOf), aged.figures());
    }
}
