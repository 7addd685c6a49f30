package chat.server.room;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;

class RecentIdsTest {
    private final LongAdder cutShort = new LongAdder();

    @Test
    void anIdKeepsItsFirstPosition() {
        RecentIds ids = new RecentIds(10_000, 1000, 0, cutShort);
        assertThat(ids.firstPosition(1, 2, 77, 0)).isEqualTo(-1);
        assertThat(ids.firstPosition(1, 2, 99, 1)).isEqualTo(77);
        assertThat(ids.firstPosition(1, 2, 100, 2)).isEqualTo(77);
        assertThat(ids.firstPosition(2, 1, 101, 2)).isEqualTo(-1);
        assertThat(ids.firstPosition(0, 0, 0, 2)).isEqualTo(-1);
        assertThat(ids.firstPosition(0, 0, 5, 2)).isZero();
    }

    @Test
    void idsAreRememberedForAtLeastTheGivenTimeAndForgottenAfterTwiceThat() {
        RecentIds ids = new RecentIds(10_000, 1000, 0, cutShort);
        ids.firstPosition(1, 1, 7, 999);
        assertThat(ids.firstPosition(1, 1, 8, 1000)).isEqualTo(7);
        assertThat(ids.firstPosition(1, 1, 8, 1999)).isEqualTo(7);
        assertThat(ids.firstPosition(1, 1, 8, 2000)).isEqualTo(-1);
        assertThat(cutShort.sum()).isZero();
    }

    @Test
    void manyIdsAreAllFound() {
        RecentIds ids = new RecentIds(400_000, 1000, 0, cutShort);
        Random random = new Random(1);
        long[][] all = random.longs(200_000)
                .mapToObj(high -> new long[] {high, high * 31})
                .toArray(long[][]::new);
        for (int i = 0; i < all.length; i++)
            assertThat(ids.firstPosition(all[i][0], all[i][1], i, 0)).isEqualTo(-1);
        for (int i = 0; i < all.length; i++)
            assertThat(ids.firstPosition(all[i][0], all[i][1], -5, 1)).isEqualTo(i);
    }

    @Test
    void idsThatDifferInFewBitsAreFoundQuickly() {
        RecentIds ids = new RecentIds(400_000, 1000, 0, cutShort);
        for (int i = 0; i < 100_000; i++) ids.firstPosition(0x0199_0000_0000_7000L, 0x8000_0000_0000_0000L | i, i, 0);
        for (int i = 0; i < 100_000; i++)
            assertThat(ids.firstPosition(0x0199_0000_0000_7000L, 0x8000_0000_0000_0000L | i, -5, 0))
                    .isEqualTo(i);
    }

    @Test
    void beyondTheBoundTheOlderHalfIsForgottenAndCounted() {
        RecentIds ids = new RecentIds(2000, 1_000_000, 0, cutShort);
        for (int i = 0; i < 2000; i++) ids.firstPosition(i, i, i, 0);
        assertThat(cutShort.sum()).isZero();
        ids.firstPosition(2000, 2000, 2000, 0);
        assertThat(cutShort.sum()).isEqualTo(1);
        assertThat(ids.firstPosition(1999, 1999, -5, 0)).isEqualTo(1999);
        assertThat(ids.firstPosition(1000, 1000, -5, 0)).isEqualTo(1000);
        assertThat(ids.firstPosition(999, 999, 5000, 0)).isEqualTo(-1);
    }
}
