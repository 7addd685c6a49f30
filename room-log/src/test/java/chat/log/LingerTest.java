package chat.log;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LingerTest {
    private static final long NANOS = 1_000_000;

    private final Linger linger = new Linger(NANOS, 0);

    @Test
    void nothingWaitsWhereLittleIsSaid() {
        for (int i = 0; i < 10; i++) {
            assertThat(linger.left(i)).isNotPositive();
            linger.published(3, i);
        }
    }

    @Test
    void underLoadEntriesKeepTheirDistance() {
        linger.published(4, 100);
        assertThat(linger.left(100)).isEqualTo(NANOS);
        assertThat(linger.left(100 + NANOS)).isNotPositive();
    }

    @Test
    void theDistanceGrowsWithTheServersThatWriteAndShrinksAgain() {
        alternate(3, 100);
        linger.published(4, 0);
        assertThat(linger.left(0)).isBetween(NANOS * 3, NANOS * 4);

        alternate(0, 100);
        linger.published(4, 0);
        assertThat(linger.left(0)).isBetween(NANOS, NANOS * 11 / 10);
    }

    @Test
    void theDistanceHasABound() {
        alternate(1000, 100);
        linger.published(4, 0);
        assertThat(linger.left(0)).isLessThanOrEqualTo(NANOS * 8);
    }

    private void alternate(int others, int times) {
        for (int i = 0; i < times; i++) {
            for (int other = 0; other < others; other++) linger.readFromOther();
            linger.published(4, 0);
        }
    }
}
