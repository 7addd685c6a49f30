package chat.persistence.analytics;

import static org.assertj.core.api.Assertions.assertThat;

import chat.persistence.analytics.HistoryQuery.Page;
import chat.protocol.MessageType;
import chat.protocol.RoomId;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HistoryRequestTest {

    /** Like {@code a=1&a=2&b}. */
    private static RequestParams words(String room, String query) {
        Map<String, List<String>> parameters = new TreeMap<>();
        for (String pair : query.split("&", -1)) {
            if (pair.isEmpty()) continue;
            String[] words = pair.split("=", 2);
            parameters.computeIfAbsent(words[0], unused -> new ArrayList<>()).add(words.length > 1 ? words[1] : "");
        }
        return new RequestParams(Map.of("roomId", room), parameters);
    }

    private static List<String> errors(String room, String query) {
        RequestParams words = words(room, query);
        HistoryQuery unused = HistoryRequest.read(words);
        return words.errors();
    }

    private static HistoryQuery valid(String query) {
        RequestParams words = words("7", query);
        HistoryQuery read = HistoryRequest.read(words);
        assertThat(words.errors()).isEmpty();
        return read;
    }

    @Test
    void nothingGivenMeansTheFirstHundred() {
        assertThat(valid(""))
                .isEqualTo(new HistoryQuery(new RoomId("7"), new Page.After(0), null, null, 100, Set.of()));
    }

    @Test
    void everythingGivenIsTaken() {
        assertThat(valid("before=9223372036854775807&from=2026-11-20T10:00:00Z&to=2026-11-20T12:00:00%2B01:00"
                                .replace("%2B", "+")
                        + "&limit=1000&types=TEXT,JOIN"))
                .isEqualTo(new HistoryQuery(
                        new RoomId("7"),
                        new Page.Before(Long.MAX_VALUE),
                        OffsetDateTime.parse("2026-11-20T10:00:00Z"),
                        OffsetDateTime.parse("2026-11-20T12:00:00+01:00"),
                        1000,
                        Set.of(MessageType.TEXT, MessageType.JOIN)));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            ignoreLeadingAndTrailingWhitespace = true,
            value = {
                "limit=0                              | limit must be a number",
                "limit=1001                           | 1 to 1000",
                "limit=-1                             | limit must",
                "limit=1e3                            | limit must",
                "limit=                               | limit must",
                "limit=99999999999999999999           | limit must",
                "limit=٣                              | limit must",
                "limit=1&limit=2                      | limit must be given once",
                "after=-1                             | after must be a position",
                "after=9223372036854775808            | after must be a position",
                "after=abc                            | after must be a position",
                "before=1.5                           | before must be a position",
                "after=1&before=2                     | give either after or before",
                "from=yesterday                       | from must be an ISO-8601 time",
                "from=2026-11-20                      | from must be",
                "from=2026-11-20T10:00:00 01:00       | %2B",
                "from=+999999999-01-01T00:00:00Z      | years 1970 to 9999",
                "from=0001-01-01T00:00:00Z            | years 1970 to 9999",
                "to=2026-02-30T10:00:00Z              | to must be",
                "from=2026-11-21T00:00:00Z&to=2026-11-20T00:00:00Z | from must not be after to",
                "types=text                           | TEXT, JOIN, LEAVE",
                "types=                               | TEXT, JOIN, LEAVE",
                "types=TEXT,                          | TEXT, JOIN, LEAVE",
                "order=desc                           | unknown parameter \"order\"; accepted: after, before, from",
                "limit=1;DROP TABLE messages          | limit must",
            })
    void errorNamesTheParameterAndTheAcceptedValues(String query, String message) {
        assertThat(errors("7", query)).singleElement().asString().contains(message);
    }

    @Test
    void everyFaultIsNamed() {
        assertThat(errors("a/b", "limit=0&after=x&sort=1")).hasSize(4);
    }

    @Test
    void longValueIsNotEchoedInFull() {
        assertThat(errors("7", "after=" + "9".repeat(10_000)).getFirst()).hasSizeLessThan(200);
    }
}
