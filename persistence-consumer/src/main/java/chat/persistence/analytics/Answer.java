package chat.persistence.analytics;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Response body: the figures and their current age.
 *
 * @param asOf milliseconds since 1970: the figures include everything stored before it; null: counting is not complete
 *     yet
 * @param ageMillis milliseconds since {@code asOf}
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
