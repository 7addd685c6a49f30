package chat.kit.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KnownHostsTest {
    private final KnownHosts hosts = new KnownHosts(List.of("Chat.example"));

    @ParameterizedTest
    @ValueSource(
            strings = {
                "localhost",
                "LOCALHOST:8080",
                "app.localhost",
                "127.0.0.1",
                "10.1.2.3:80",
                "[::1]",
                "[2001:db8::1]:8080",
                "chat.example",
                "CHAT.EXAMPLE:443",
                "chat.example:"
            })
    void localhostAddressesAndConfiguredNamesAreAccepted(String host) {
        assertThat(hosts.accepts(host)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "evil.example",
                "localhost.evil.example",
                "xlocalhost",
                "x.chat.example",
                "127.1",
                "127.0.0.1.evil.example",
                "0x7f000001",
                "2130706433",
                "[::1",
                "::1",
                "",
                ":80",
                "chat.example:99999",
                "chat.example@evil.example",
                "chat.example,evil.example",
                "[::1%25eth0]",
                "chat.example."
            })
    void otherHostsAreRejected(String host) {
        assertThat(hosts.accepts(host)).isFalse();
    }

    @Test
    void starAcceptsEveryHost() {
        assertThat(new KnownHosts(List.of("*")).accepts("evil.example")).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"https://chat.example", "chat.example:80", "", "*.example"})
    void invalidHostNameIsRejected(String name) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new KnownHosts(List.of(name)))
                .withMessageContaining("chat.example");
    }
}
