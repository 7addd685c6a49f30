package chat.nodes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class HaproxyConfigTest {
    /** The production example: four partitions on two servers. */
    private static final HaproxyConfig EXAMPLE = new HaproxyConfig(
            ":8080",
            "127.0.0.1:9080",
            "/run/haproxy/admin.sock",
            40_000,
            4,
            HaproxyConfig.Placement.PARTITION,
            List.of("10.0.0.11:8080", "10.0.0.12:8080"),
            "10.0.0.21:8090");

    @Test
    void fileInTheRepositoryEqualsTheGeneratedOne() throws IOException {
        assertThat(Files.readString(Path.of("../infra/haproxy/haproxy.cfg"))).isEqualTo(EXAMPLE.text());
    }

    @Test
    void everyPlaceholderIsReplaced() {
        assertThat(EXAMPLE.text()).doesNotContainPattern("\\{[a-zA-Z]+}");
    }

    @Test
    void roomsAreRoutedByPartition() {
        assertThat(of(8, 3, HaproxyConfig.Placement.PARTITION))
                .contains("crc32,mod(8) if socket")
                .contains("use-server server-%[var(txn.slice),mod(3),add(1)]")
                .contains("use-server server-%[var(txn.slice),add(1),add(txn.turn),mod(3),add(1)]")
                .contains("set-var(txn.turn) var(txn.slice),div(3),mod(2)")
                .contains("balance hash var(txn.slice),mod(3),add(txn.turn),add(4)");
    }

    @Test
    void roomsAreRoutedByServerIfThereAreMoreServersThanPartitions() {
        assertThat(of(4, 8, HaproxyConfig.Placement.PARTITION))
                .contains("crc32,mod(8) if socket")
                .contains("use-server server-%[var(txn.slice),mod(8),add(1)]");
    }

    @Test
    void spreadConnectionsGoToTheLeastBusyServer() {
        assertThat(of(4, 2, HaproxyConfig.Placement.SPREAD))
                .contains("backend chat\n    balance leastconn\n")
                .doesNotContain("use-server");
    }

    @Test
    void systemLimitAppliesWithoutMaxConnections() {
        assertThat(of(4, 2, HaproxyConfig.Placement.PARTITION).lines())
                .noneMatch(line -> line.strip().startsWith("maxconn"));
    }

    @Test
    void severalConsumersAreCheckedAndBalanced() {
        HaproxyConfig two = new HaproxyConfig(
                "127.0.0.1:8080",
                "127.0.0.1:9080",
                "admin.sock",
                0,
                4,
                HaproxyConfig.Placement.PARTITION,
                List.of("127.0.0.1:8081"),
                List.of("127.0.0.1:8090", "127.0.0.1:8091"));
        assertThat(two.text()).contains("""
                    default-server check inter 2s fall 2 rise 1
                    server consumer-1 127.0.0.1:8090
                    server consumer-2 127.0.0.1:8091
                """);
    }

    @Test
    void nonsenseIsRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> of(0, 2, HaproxyConfig.Placement.PARTITION));
        assertThatIllegalArgumentException().isThrownBy(() -> of(65, 2, HaproxyConfig.Placement.PARTITION));
        assertThatIllegalArgumentException().isThrownBy(() -> of(4, 0, HaproxyConfig.Placement.PARTITION));
    }

    private static String of(int partitions, int servers, HaproxyConfig.Placement placement) {
        List<String> addresses = IntStream.range(0, servers)
                .mapToObj(i -> "127.0.0.1:" + (8081 + i))
                .toList();
        return new HaproxyConfig(
                        "127.0.0.1:8080",
                        "127.0.0.1:9080",
                        "admin.sock",
                        0,
                        partitions,
                        placement,
                        addresses,
                        "127.0.0.1:8090")
                .text();
    }
}
