package chat.kit.admission;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ClientAddressesTest {
    private static final ClientAddresses BEHIND_PROXIES =
            new ClientAddresses(Networks.of(List.of("10.0.0.0/8", "2001:db8:ff::/48")));

    private static String client(ClientAddresses addresses, String peer, String... forwardedFor) {
        return Objects.requireNonNull(addresses.client(
                        new InetSocketAddress(InetAddress.ofLiteral(peer), 50_123), List.of(forwardedFor)))
                .getHostAddress();
    }

    @Test
    void unknownRemoteAddressHasNoClientAddress() {
        assertThat(BEHIND_PROXIES.client(null, List.of("192.0.2.7"))).isNull();
    }

    @Test
    void headerIsIgnoredWithoutTrustedProxies() {
        ClientAddresses none = new ClientAddresses(Networks.of(List.of()));
        assertThat(client(none, "10.0.0.1", "192.0.2.7")).isEqualTo("10.0.0.1");
    }

    @Test
    void headerOfAnUntrustedProxyIsIgnored() {
        assertThat(client(BEHIND_PROXIES, "198.51.100.9", "192.0.2.7")).isEqualTo("198.51.100.9");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "192.0.2.7                            | 192.0.2.7",
                "192.0.2.7:50123                      | 192.0.2.7",
                "2001:db8::7                          | 2001:db8:0:0:0:0:0:7",
                "[2001:db8::7]:50123                  | 2001:db8:0:0:0:0:0:7",
                "1.1.1.1, 192.0.2.7                   | 192.0.2.7",
                "10.9.9.9, 192.0.2.7                  | 192.0.2.7",
                "1.1.1.1, 192.0.2.7, 10.0.0.2         | 192.0.2.7",
                "1.1.1.1, 192.0.2.7,10.0.0.2, 10.3.0.2| 192.0.2.7",
                "192.0.2.7, 2001:db8:ff::2            | 192.0.2.7",
            })
    void lastHopThatIsNotAProxyIsTheClient(String header, String client) {
        assertThat(client(BEHIND_PROXIES, "10.0.0.1", header)).isEqualTo(client);
    }

    @Test
    void linesOfTheHeaderAreOneList() {
        assertThat(client(BEHIND_PROXIES, "10.0.0.1", "1.1.1.1", "192.0.2.7, 10.0.0.2"))
                .isEqualTo("192.0.2.7");
        assertThat(client(BEHIND_PROXIES, "10.0.0.1", "192.0.2.7", "10.0.0.2")).isEqualTo("192.0.2.7");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ",",
                "unknown",
                "_hidden",
                "localhost",
                "192.0.2.7, unknown",
                "1.2.3",
                "01.2.3.4.5",
                "fe80::1%lo",
                "[2001:db8::7",
                "[]",
                ":",
                "\u0000",
                "0x7f.1"
            })
    void invalidAddressMakesTheProxyTheClient(String header) {
        assertThat(client(BEHIND_PROXIES, "10.0.0.1", header)).isEqualTo("10.0.0.1");
    }

    @Test
    void firstHopIsTheClientIfAllAreProxies() {
        assertThat(client(BEHIND_PROXIES, "10.0.0.1", "10.0.0.9, 10.0.0.2")).isEqualTo("10.0.0.9");
    }

    @Test
    void forgedFirstHopsHaveNoEffect() {
        List<String> seen = Stream.iterate(0, i -> i + 1)
                .limit(300)
                .map(i -> client(
                        BEHIND_PROXIES, "10.0.0.1", "192.0." + i % 256 + ".1, 10.0.0." + i % 256 + ", 192.0.2.7"))
                .distinct()
                .toList();
        assertThat(seen).containsExactly("192.0.2.7");
    }
}
