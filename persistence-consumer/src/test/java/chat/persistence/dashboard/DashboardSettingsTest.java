package chat.persistence.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DashboardSettingsTest {
    @Test
    void addressWithoutANameIsItsOwnName() {
        assertThat(new DashboardSettings(
                                List.of("a=http://10.0.0.1:9080", " https://chat.example:9081/", "http://[::1]:9"))
                        .servers())
                .containsExactly(
                        new ServerAddress("a", URI.create("http://10.0.0.1:9080"), false),
                        new ServerAddress("chat.example:9081", URI.create("https://chat.example:9081"), false),
                        new ServerAddress("[::1]:9", URI.create("http://[::1]:9"), false));
    }

    @Test
    void nameMayResolveToSeveralServers() {
        assertThat(new DashboardSettings(List.of("dns+http://chat-servers:9080", "eu=dns+http://eu:1")).servers())
                .containsExactly(
                        new ServerAddress("chat-servers:9080", URI.create("http://chat-servers:9080"), true),
                        new ServerAddress("eu", URI.create("http://eu:1"), true));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "10.0.0.1:9080",
                "ftp://10.0.0.1:9080",
                "http://10.0.0.1",
                "http://10.0.0.1:70000",
                "http://user:secret@10.0.0.1:9080",
                "http://10.0.0.1:9080/actuator",
                "http://10.0.0.1:9080?a=b",
                "a b=http://10.0.0.1:9080",
                "dns+https://chat:9080",
                "http+dns://chat:9080",
                "dns+chat:9080"
            })
    void invalidManagementAddressIsRejected(String address) {
        assertThatThrownBy(() -> new DashboardSettings(List.of(address)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("chat.dashboard.servers");
    }

    @Test
    void namesMustDifferAndServersMustNotBeTooMany() {
        assertThatThrownBy(() -> new DashboardSettings(List.of("a=http://x:1", "a=http://y:1")))
                .hasMessageContaining("different names");
        List<String> many =
                IntStream.rangeClosed(1, 65).mapToObj(i -> "http://x:" + i).toList();
        assertThat(new DashboardSettings(many.subList(0, 64)).servers()).hasSize(64);
        assertThatThrownBy(() -> new DashboardSettings(many)).hasMessageContaining("at most 64");
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT0.099S", "PT10.001S"})
    void timeoutOutOfBoundsIsRejected(String timeout) {
        assertThatThrownBy(() -> new DashboardSettings(List.of(), Duration.parse(timeout)))
                .hasMessageContaining("timeout must be");
    }
}
