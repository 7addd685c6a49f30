package chat.nodes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which partitions a server has to read, since HAProxy may send it members of their rooms. */
class PartitionPlacementTest {
    @Test
    void aServerHasItsOwnAndThoseOfTheOneBefore() {
        PartitionPlacement placement = new PartitionPlacement(8, 4);
        assertThat(placement.partitionsOf(1)).containsExactly(0, 1, 4, 5);
        assertThat(placement.partitionsOf(0)).as("the first follows the last").containsExactly(0, 3, 4, 7);
    }

    @Test
    void twoHaveAll() {
        PartitionPlacement placement = new PartitionPlacement(4, 2);
        assertThat(placement.partitionsOf(0)).containsExactly(0, 1, 2, 3);
        assertThat(placement.partitionsOf(1)).containsExactly(0, 1, 2, 3);
    }

    @Test
    void ofAPartitionThatSeveralShareEachHasIt() {
        assertThat(new PartitionPlacement(2, 4).partitionsOf(3)).containsExactly(0, 1);
        assertThat(new PartitionPlacement(4, 8).partitionsOf(5)).containsExactly(0, 1);
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "4, 2", "4, 3", "8, 3", "4, 4", "4, 6", "5, 7", "2, 4", "64, 16"})
    void itIsWhereTheRoomsAre(int partitions, int servers) {
        PartitionPlacement placement = new PartitionPlacement(partitions, servers);
        for (int server = 0; server < servers; server++) {
            Set<Integer> reached = new HashSet<>();
            // Every pair of rests occurs among so many checksums.
            for (int checksum = 0; checksum < partitions * placement.slices(); checksum++) {
                int own = checksum % placement.slices() % servers;
                if (own == server || (own + 1) % servers == server) reached.add(checksum % partitions);
            }
            List<Integer> told = placement.partitionsOf(server);
            assertThat(told).as("server %s", server).containsExactlyInAnyOrderElementsOf(reached);
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 0", "2, 1", "4, 9", "16, 225", "17, 1"})
    void aKeyThatIsHashedToItselfLeadsToTheNextServer(int servers, int key) {
        PartitionPlacement placement = new PartitionPlacement(servers, servers);
        assertThat(placement.refusedKey()).isEqualTo(key);
        assertThat(servers - 1 + key).isLessThan(256);
        for (int own = 0; own < servers; own++)
            assertThat((own + key) % servers).isEqualTo((own + (servers > 1 ? 1 : 0)) % servers);
    }

    @ParameterizedTest
    @CsvSource({"2", "3", "4", "16"})
    void alsoOnceTheOwnOneHasBeenMarkedDown(int servers) {
        int key = new PartitionPlacement(servers, servers).refusedKey();
        for (int server = 0; server < servers; server++) {
            int own = server;
            int[] up = IntStream.range(0, servers).filter(each -> each != own).toArray();
            assertThat(up[(own + key) % up.length]).isEqualTo((own + 1) % servers);
        }
    }

    @Test
    void thereAreSome() {
        assertThatIllegalArgumentException().isThrownBy(() -> new PartitionPlacement(0, 1));
        assertThatIllegalArgumentException().isThrownBy(() -> new PartitionPlacement(1, 0));
    }
}
