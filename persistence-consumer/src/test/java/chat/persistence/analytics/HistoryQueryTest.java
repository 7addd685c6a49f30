package chat.persistence.analytics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.util.LinkedMultiValueMap;

class HistoryQueryTest {
    private static HistoryQuery query(String... nameAndValue) {
        LinkedMultiValueMap<String, String> parameters = new LinkedMultiValueMap<>();
        if (nameAndValue.length > 0) parameters.add(nameAndValue[0], nameAndValue[1]);
        return HistoryRequest.read(new RequestParams(Map.of("roomId", "lobby"), parameters));
    }

    @Test
    void queriesOfChatServersUseThePositionAlone() {
        assertThat(query().byPositionAlone()).isTrue();
        assertThat(query("after", "7").byPositionAlone()).isTrue();
        assertThat(query("before", "7").byPositionAlone()).isTrue();
        assertThat(query("limit", "500").byPositionAlone()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"from=2026-01-01T00:00:00Z", "to=2026-01-01T00:00:00Z", "types=JOIN"})
    void queriesThatMayScanManyRowsAreExpensive(String parameter) {
        String[] nameAndValue = parameter.split("=");
        assertThat(query(nameAndValue).byPositionAlone()).isFalse();
    }
}
