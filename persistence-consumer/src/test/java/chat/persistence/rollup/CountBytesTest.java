package chat.persistence.rollup;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class CountBytesTest {
    private static Map<Integer, Long> read(byte[] bytes) {
        Map<Integer, Long> counts = new TreeMap<>();
        CountBytes.read(
                bytes, (number, count) -> assertThat(counts.put(number, count)).isNull());
        return counts;
    }

    @Test
    void numbersAreCountedInAnyOrder() {
        CountBytes counts = CountBytes.of(new int[] {7, 1, 7, 1_000_000, 7});
        assertThat(counts.distinct()).isEqualTo(3);
        assertThat(read(counts.bytes())).isEqualTo(Map.of(1, 1L, 7, 3L, 1_000_000, 1L));
    }

    @Test
    void nothingIsNoBytes() {
        assertThat(CountBytes.of(new int[0])).satisfies(counts -> {
            assertThat(counts.bytes()).isEmpty();
            assertThat(counts.distinct()).isZero();
        });
    }

    @Test
    void sumEqualsCountingEverythingAtOnce() {
        Random random = new Random(1);
        for (int round = 0; round < 200; round++) {
            int[] one = random.ints(random.nextInt(300), 1, 1 << random.nextInt(2, 31))
                    .toArray();
            int[] other = random.ints(random.nextInt(300), 1, 1 << random.nextInt(2, 31))
                    .toArray();
            int[] both =
                    IntStream.concat(IntStream.of(one), IntStream.of(other)).toArray();
            CountBytes sum = CountBytes.sum(
                    CountBytes.of(one).bytes(), CountBytes.of(other).bytes());
            CountBytes expected = CountBytes.of(both);
            assertThat(sum.bytes()).isEqualTo(expected.bytes());
            assertThat(sum.distinct()).isEqualTo(expected.distinct());
        }
    }

    @Test
    void denseNumbersTakeTwoBytesEach() {
        assertThat(CountBytes.of(IntStream.range(1, 100_001).toArray()).bytes()).hasSize(200_000);
    }

    @Test
    void countsAddUp() {
        Counts counts = new Counts();
        counts.add(CountBytes.of(new int[] {5, 5, 9}).bytes());
        counts.add(CountBytes.of(new int[] {5, 70_000}).bytes());
        counts.add(9, 10);
        Map<Integer, Long> all = new TreeMap<>();
        counts.forEach((number, count) -> all.put(number, count));
        assertThat(all).isEqualTo(Map.of(5, 3L, 9, 11L, 70_000, 1L));
        assertThat(counts.distinct()).isEqualTo(3);
    }
}
