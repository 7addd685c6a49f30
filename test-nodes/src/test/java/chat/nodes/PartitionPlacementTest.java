package chat.nodes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests which partitions a server must read because HAProxy may send it members of their rooms. */
class PartitionPlacementTest {
    @Test
    void serverReadsItsOwnAndItsStandbyPartitions() {
        PartitionPlacement placement = new PartitionPlacement(8, 4);
        // Server 1 is the standby of server 0's first partition, server 2 of its second; the others likewise.
        assertThat(placement.partitionsOf(0)).containsExactly(0, 3, 4, 6);
        assertThat(placement.partitionsOf(1)).containsExactly(0, 1, 5, 7);
        assertThat(placement.partitionsOf(2)).containsExactly(1, 2, 4, 6);
        assertThat(placement.partitionsOf(3)).containsExactly(2, 3, 5, 7);
    }

    @Test
    void twoServersReadAllPartitions() {
        PartitionPlacement placement = new PartitionPlacement(4, 2);
        assertThat(placement.partitionsOf(0)).containsExactly(0, 1, 2, 3);
        assertThat(placement.partitionsOf(1)).containsExactly(0, 1, 2, 3);
    }

    @Test
    void everyServerOfASharedPartitionReadsIt() {
        assertThat(new PartitionPlacement(2, 4).partitionsOf(3)).containsExactly(0, 1);
        assertThat(new PartitionPlacement(4, 8).partitionsOf(5)).containsExactly(0, 1);
    }

    @ParameterizedTest
    @CsvSource({"6, 3", "12, 4", "20, 5", "30, 6"})
    void slicesOfAFailedServerAreSharedByTheOthers(int partitions, int servers) {
        PartitionPlacement placement = new PartitionPlacement(partitions, servers);
        for (int lost = 0; lost < servers; lost++) {
            int gone = lost;
            Map<Integer, Long> shares = IntStream.range(0, partitions)
                    .filter(slice -> placement.own(slice) == gone)
                    .mapToObj(placement::standby)
                    .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
            assertThat(shares).hasSize(servers - 1).doesNotContainKey(gone);
            assertThat(Set.copyOf(shares.values())).as("as many each").hasSize(1);
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "4, 2", "4, 3", "8, 3", "4, 4", "12, 4", "4, 6", "5, 7", "2, 4", "64, 16"})
    void partitionsMatchTheRoutedRooms(int partitions, int servers) {
        PartitionPlacement placement = new PartitionPlacement(partitions, servers);
        for (int server = 0; server < servers; server++) {
            Set<Integer> reached = new HashSet<>();
            // This many checksums contain every pair of remainders.
            for (int checksum = 0; checksum < partitions * placement.slices(); checksum++) {
                int slice = checksum % placement.slices();
                if (placement.own(slice) == server || placement.standby(slice) == server)
                    reached.add(checksum % partitions);
            }
            assertThat(placement.partitionsOf(server))
                    .as("server %s", server)
                    .containsExactlyInAnyOrderElementsOf(reached);
        }
    }

    /** HAProxy's formula in {@link HaproxyConfig}. */
    private static int key(PartitionPlacement placement, int slice) {
        return placement.own(slice) + placement.turn(slice) + placement.refusedKey();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 16, 17})
    void keyThatHashesToItselfSelectsTheStandby(int servers) {
        PartitionPlacement placement = new PartitionPlacement(64, servers);
        for (int slice = 0; slice < placement.slices(); slice++) {
            assertThat(key(placement, slice)).isLessThan(256);
            assertThat(key(placement, slice) % servers).isEqualTo(placement.standby(slice));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4, 16})
    void keySelectsTheStandbyAfterTheServerIsMarkedDown(int servers) {
        PartitionPlacement placement = new PartitionPlacement(64, servers);
        for (int slice = 0; slice < placement.slices(); slice++) {
            int own = placement.own(slice);
            int[] up = IntStream.range(0, servers).filter(each -> each != own).toArray();
            assertThat(up[key(placement, slice) % up.length]).isEqualTo(placement.standby(slice));
        }
    }

    @Test
    void thereAreSome() {
        assertThatIllegalArgumentException().isThrownBy(() -> new PartitionPlacement(0, 1));
        assertThatIllegalArgumentException().isThrownBy(() -> new PartitionPlacement(1, 0));
    }
}
