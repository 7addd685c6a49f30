package chat.persistence.analytics;

import static org.assertj.core.api.Assertions.assertThat;

import chat.persistence.rollup.Counts;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TopTest {
    @Test
    void highestValuesComeFirstThenLowerNumbers() {
        Random random = new Random(1);
        Counts counts = new Counts();
        List<Top.Entry> entries = IntStream.range(1, 2_000)
                .mapToObj(number -> new Top.Entry(number, 1 + random.nextInt(50)))
                .toList();
        entries.forEach(entry -> counts.add(entry.number(), entry.count()));
        assertThat(Top.of(counts, 100))
                .isEqualTo(entries.stream()
                        .sorted(Comparator.comparingLong(Top.Entry::count)
                                .reversed()
                                .thenComparingInt(Top.Entry::number))
                        .limit(100)
                        .toList());
        assertThat(Top.of(new Counts(), 10)).isEmpty();
    }
}
