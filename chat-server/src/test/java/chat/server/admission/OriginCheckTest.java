package chat.server.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import java.util.Map;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OriginCheckTest {
    private final OriginCheck rule = new OriginCheck(List.of("https://a.example"));

    private boolean rejects(Map<String, String> headers) {
        return rule.check(new HandshakeRequest(null, headers::get)) != null;
    }

    @Test
    void programsAndTheOwnPageAndThosePagesThatAreNamedMayConnect() {
        assertThat(rejects(Map.of("Host", "chat.example:8080"))).isFalse();
        assertThat(rejects(Map.of("Host", "chat.example:8080", "Origin", "http://chat.example:8080")))
                .isFalse();
        assertThat(rejects(Map.of("Host", "chat.example:8080", "Origin", "https://a.example")))
                .isFalse();
    }

    @Test
    void originsAreComparedBySchemeHostAndPort() {
        assertThat(rejects(Map.of("Host", "x", "Origin", "HTTPS://A.EXAMPLE:443")))
                .isFalse();
        assertThat(rejects(Map.of("Host", "chat.example:443", "Origin", "https://chat.example")))
                .isFalse();
        assertThat(rejects(Map.of("Host", "chat.example:80", "Origin", "http://CHAT.example")))
                .isFalse();
        assertThat(rejects(Map.of("Host", "chat.example", "Origin", "https://chat.example")))
                .isFalse();
        assertThat(rejects(Map.of("Host", "chat.example:443", "Origin", "http://chat.example")))
                .isTrue();
    }

    @Test
    void appOriginMayConnectIfAllowed() {
        OriginCheck apps = new OriginCheck(List.of("capacitor://localhost"));
        assertThat(apps.check(new HandshakeRequest(null, Map.of("Host", "x", "Origin", "capacitor://localhost")::get)))
                .isNull();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new OriginCheck(List.of("chat.example")))
                .withMessageContaining("https://chat.example");
    }

    @Test
    void rejectionNamesTheOriginAndTheSetting() {
        assertThat(rule.check(new HandshakeRequest(null, Map.of("Host", "x", "Origin", "https://b.example")::get)))
                .extracting(Rejection::detail, InstanceOfAssertFactories.STRING)
                .contains("https://b.example", "CHAT_SERVER_ALLOWED_ORIGINS");
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
                "https://a.example/",
                "https://a.example,https://a.example",
                "http://chat.example",
                "capacitor://chat.example:8080",
                "ftp://chat.example:8080",
                "http://chat.example:8080.evil.example"
            })
    void everybodyElseMayNot(String origin) {
        assertThat(rejects(Map.of("Host", "chat.example:8080", "Origin", origin)))
                .isTrue();
        assertThat(rejects(Map.of("Origin", origin))).isTrue();
    }
}
