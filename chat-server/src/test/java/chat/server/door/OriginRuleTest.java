package chat.server.door;

import static org.assertj.core.api.Assertions.assertThat;

import chat.server.limit.Visit;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OriginRuleTest {
    private final OriginRule rule = new OriginRule(List.of("https://a.example"));

    private boolean refuses(Map<String, String> headers) {
        return rule.refuses(new Visit(null, headers::get)) != null;
    }

    @Test
    void programsAndTheOwnPageAndThosePagesThatAreNamedMayConnect() {
        assertThat(refuses(Map.of("Host", "chat.example:8080"))).isFalse();
        assertThat(refuses(Map.of("Host", "chat.example:8080", "Origin", "http://chat.example:8080")))
                .isFalse();
        assertThat(refuses(Map.of("Host", "chat.example:8080", "Origin", "https://a.example")))
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://b.example",
                "null",
                "",
                "%%%",
                "http://a.example",
                "https://a.example:444",
                "https://a.example.evil.example",
                "https://A.EXAMPLE",
                "https://a.example/",
                "https://a.example,https://a.example",
                "http://chat.example",
                "http://chat.example:8080.evil.example"
            })
    void everybodyElseMayNot(String origin) {
        assertThat(refuses(Map.of("Host", "chat.example:8080", "Origin", origin)))
                .isTrue();
        assertThat(refuses(Map.of("Origin", origin))).isTrue();
    }
}
