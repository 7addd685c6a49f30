package chat.kit.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NetworksTest {
    @ParameterizedTest
    @CsvSource({
        "10.0.0.0/8,      10.255.0.1,   true",
        "10.0.0.0/8,      11.0.0.1,     false",
        "192.0.2.128/25,  192.0.2.128,  true",
        "192.0.2.128/25,  192.0.2.127,  false",
        "192.0.2.7,       192.0.2.7,    true",
        "192.0.2.7,       192.0.2.8,    false",
        "0.0.0.0/0,       203.0.113.1,  true",
        "0.0.0.0/0,       2001:db8::1,  false",
        "2001:db8::/33,   2001:db8:7fff::1, true",
        "2001:db8::/33,   2001:db8:8000::1, false",
        "::1,             ::1,          true",
        "10.0.0.0/8,      ::ffff:10.0.0.1, true",
    })
    void addressIsMatchedByItsPrefix(String network, String address, boolean in) {
        assertThat(Networks.of(List.of(network)).contains(InetAddress.ofLiteral(address)))
                .isEqualTo(in);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "localhost",
                "10.0.0.0/33",
                "10.0.0.0/-1",
                "10.0.0.0/",
                "10.0.0.1/8",
                "2001:db8::/129",
                "10/8"
            })
    void invalidNetworkIsRejected(String text) {
        assertThatThrownBy(() -> Networks.of(List.of(text)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("10.0.0.0/8");
    }

    @Test
    void emptySetContainsNoAddress() {
        assertThat(Networks.of(List.of()).contains(InetAddress.ofLiteral("127.0.0.1")))
                .isFalse();
    }
}
