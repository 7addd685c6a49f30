package chat.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.DateTimeException;
import java.time.OffsetDateTime;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TimestampsTest {

    /** Includes days and months that do not exist. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1600, 1900, 2000, 2023, 2024, 2026, 9999})
    void datesAreValidatedAgainstTheCalendar(int year) {
        for (int month = 0; month <= 13; month++)
            for (int day = 0; day <= 32; day++) {
                String text = String.format(Locale.ROOT, "%04d-%02d-%02dT23:59:59.123Z", year, month, day);
                boolean valid = parses(text);
                assertThat(Timestamps.isCommonForm(text)).as(text).isEqualTo(valid);
                assertThat(Timestamps.isIso8601(text)).as(text).isEqualTo(valid);
            }
    }

    @Test
    void invalidTimeOfDayIsRejected() {
        for (String time : new String[] {"24:00:00", "23:60:00", "23:59:60", "99:99:99"}) {
            String text = "2024-02-29T" + time + "Z";
            assertThat(parses(text)).as(text).isFalse();
            assertThat(Timestamps.isIso8601(text)).as(text).isFalse();
        }
    }

    private static boolean parses(String text) {
        try {
            OffsetDateTime unused = OffsetDateTime.parse(text);
            return true;
        } catch (DateTimeException notATime) {
            return false;
        }
    }
}
