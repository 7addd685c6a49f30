package chat.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;

class SeenIncarnationsTest {
    private final LongAdder forgotten = new LongAdder();
    private final SeenIncarnations seen = new SeenIncarnations(forgotten);

    @Test
    void entryIsNewOnlyOnce() {
        for (long sequence = 1; sequence < 300; sequence++) {
            assertThat(seen.firstTime(9, 1, sequence)).isTrue();
            assertThat(seen.firstTime(9, 1, sequence)).isFalse();
        }
        for (long sequence = 1; sequence < 300; sequence++)
            assertThat(seen.firstTime(9, 1, sequence)).isFalse();
    }

    @Test
    void incarnationsAreIndependent() {
        assertThat(seen.firstTime(9, 1, 5)).isTrue();
        assertThat(seen.firstTime(9, 2, 5)).isTrue();
        assertThat(seen.firstTime(9, -1, 5)).isTrue();
    }

    @Test
    void entryRepublishedInALaterEpochIsNoDuplicate() {
        assertThat(seen.firstTime(9, 1, 5)).isTrue();
        assertThat(seen.firstTime(9, 1, 6)).isTrue();
        assertThat(seen.firstTime(10, 1, 6)).isTrue();
        assertThat(seen.firstTime(10, 1, 6)).isFalse();
        assertThat(seen.firstTime(9, 1, 5)).isFalse();
        assertThat(seen.firstTime(10, 1, 5)).isTrue();
        assertThat(seen.highest(1)).isEqualTo(6);
    }

    @Test
    void skippedSequenceIsNewWithinTheWindow() {
        assertThat(seen.firstTime(9, 1, 100)).isTrue();
        assertThat(seen.firstTime(9, 1, 163)).isTrue();
        assertThat(seen.firstTime(9, 1, 101)).isTrue();
        assertThat(seen.firstTime(9, 1, 100)).isFalse();
        assertThat(seen.firstTime(9, 1, 162)).isTrue();
        assertThat(seen.firstTime(9, 1, 99)).isFalse();
    }

    @Test
    void sequenceBelowTheWindowIsADuplicateAfterALeap() {
        assertThat(seen.firstTime(9, 1, 1)).isTrue();
        assertThat(seen.firstTime(9, 1, 1000)).isTrue();
        assertThat(seen.firstTime(9, 1, 1)).isFalse();
        assertThat(seen.firstTime(9, 1, 999)).isTrue();
        assertThat(seen.firstTime(9, 1, 1000)).isFalse();
    }

    @Test
    void leastRecentIncarnationsAreEvictedAndCounted() {
        for (long incarnation = 0; incarnation < 1024; incarnation++)
            assertThat(seen.firstTime(9, incarnation, 1)).isTrue();
        assertThat(seen.firstTime(9, 0, 1)).isFalse();
        assertThat(forgotten.sum()).isZero();
        assertThat(seen.firstTime(9, 5000, 1)).isTrue();
        assertThat(forgotten.sum()).isEqualTo(1);
        assertThat(seen.firstTime(9, 0, 1)).isFalse();
        assertThat(seen.firstTime(9, 1, 1)).isTrue();
    }
}
