package chat.load.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class NaturalOrderTest {
    @Test
    void numbersAreOrderedByValueAndTextsByLetters() {
        assertOrdered("-3", "2", "10", "1000");
        assertOrdered("0.5", "0.75", "10");
        assertOrdered("100ms", "0.5s", "1 s", "2m");
        assertOrdered("512KB", "1MB", "2mb");
        assertOrdered("run-9", "run-10", "sweep/1", "sweep/1/a", "sweep/2");
        assertOrdered("room", "spread");
        assertOrdered("5", "20", "100ms", "none");
    }

    private static void assertOrdered(String... ordered) {
        List<String> shuffled = new ArrayList<>(List.of(ordered));
        Collections.shuffle(shuffled, new Random(1));
        shuffled.addAll(List.of(ordered));
        assertThat(NaturalOrder.distinct(shuffled)).containsExactly(ordered);
    }
}
