package chat.persistence.analytics;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.postgresql.ds.PGSimpleDataSource;

/** {@code tools/fuzz} searches for parameters that break this; the ordinary tests use those in the resources. */
class WordsFuzzTest {
    private static final List<Endpoint<?>> ENDPOINTS = new Endpoints(
                    new Snapshots(new PGSimpleDataSource()),
                    4,
                    () -> new Metrics.Caching.Figures(0, 0, 1, 0, 0),
                    Clock.systemUTC())
            .all();

    /** @param bytes the endpoint, then lines: the path variable, and {@code name=value} for each parameter */
    @FuzzTest
    void anyWordsAreAQuestionOrSomethingIsWrongWithThem(byte[] bytes) {
        if (bytes.length == 0) return;
        Endpoint<?> endpoint = ENDPOINTS.get((bytes[0] & 0xff) % ENDPOINTS.size());
        String[] lines = new String(bytes, 1, bytes.length - 1, StandardCharsets.UTF_8).split("\n", -1);
        Map<String, List<String>> parameters = new LinkedHashMap<>();
        for (int i = 1; i < lines.length; i++) {
            int equals = lines[i].indexOf('=');
            String name = equals < 0 ? lines[i] : lines[i].substring(0, equals);
            parameters
                    .computeIfAbsent(name, unused -> new ArrayList<>())
                    .add(equals < 0 ? "" : lines[i].substring(equals + 1));
        }
        RequestParams words = new RequestParams(Map.of("roomId", lines[0], "userId", lines[0]), parameters);
        Object question = endpoint.read().apply(words);
        assertThat(question).isNotNull();
        for (String error : words.errors()) assertThat(error).isNotBlank().hasSizeLessThanOrEqualTo(300);
    }
}
