package chat.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RoomPartitionTest {
    @ParameterizedTest
    @CsvSource({"'', 4", "room-, 4", "room-, 16", "team_, 7", "general-, 64"})
    void roomsSpreadEvenlyOverThePartitions(String prefix, int partitions) {
        int rooms = 64_000;
        int[] counts = new int[partitions];
        for (int i = 1; i <= rooms; i++) counts[new RoomId(prefix + i).partition(partitions)]++;
        int even = rooms / partitions;
        assertThat(IntStream.of(counts)).allMatch(count -> count > even * 0.9 && count < even * 1.1);
    }
}
