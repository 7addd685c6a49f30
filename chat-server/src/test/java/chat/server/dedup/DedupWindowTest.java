package chat.server.dedup;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;

class DedupWindowTest {
    private final LongAdder cutShort = new LongAdder();

    @Test
    void idKeepsItsFirstPosition() {
        DedupWindow ids = new DedupWindow(10_000, 1000, 0, cutShort);
        assertThat(ids.firstPosition(1, 2, 0, 77, 0)).isEqualTo(-1);
        assertThat(ids.firstPosition(1, 2, 0, 99, 1)).isEqualTo(77);
        assertThat(ids.firstPosition(1, 2, 0, 100, 2)).isEqualTo(77);
        assertThat(ids.firstPosition(2, 1, 0, 101, 2)).isEqualTo(-1);
        assertThat(ids.firstPosition(0, 0, 0, 0, 2)).isEqualTo(-1);
        assertThat(ids.firstPosition(0, 0, 0, 5, 2)).isZero();
    }

    @Test
    void anotherContentUnderTheSameIdIsAConflictAndChangesNothing() {
        DedupWindow ids = new DedupWindow(10_000, 1000, 0, cutShort);
        ids.firstPosition(1, 2, 11, 77, 0);
        assertThat(DedupWindow.isConflict(ids.firstPosition(1, 2, 12, 99, 0))).isTrue();
        assertThat(DedupWindow.isConflict(ids.look(1, 2, 12))).isTrue();
        assertThat(ids.firstPosition(1, 2, 11, 99, 0)).isEqualTo(77);
        ids.firstPosition(3, 3, 0, 0, 0);
        assertThat(DedupWindow.isConflict(ids.look(3, 3, 1))).isTrue();
        assertThat(DedupWindow.isConflict(ids.look(3, 3, 0))).isFalse();
    }

    @Test
    void conflictHasTheFirstPosition() {
        DedupWindow ids = new DedupWindow(10_000, 1000, 0, cutShort);
        ids.firstPosition(1, 2, 11, 77, 0);
        assertThat(DedupWindow.positionOf(ids.firstPosition(1, 2, 12, 99, 0))).isEqualTo(77);
        assertThat(DedupWindow.positionOf(ids.look(1, 2, 12))).isEqualTo(77);
        assertThat(DedupWindow.positionOf(77)).isEqualTo(77);
        assertThat(DedupWindow.isConflict(DedupWindow.NEW)).isFalse();
    }

    @Test
    void knownReturnsTheFirstPositionInBothGenerationsWhateverTheContent() {
        DedupWindow ids = new DedupWindow(10_000, 1000, 0, cutShort);
        ids.firstPosition(1, 2, 11, 77, 0);
        assertThat(ids.known(1, 2)).isEqualTo(77);
        ids.firstPosition(3, 4, 11, 78, 1000); // the first key is now in the older generation
        assertThat(ids.known(1, 2)).isEqualTo(77);
        assertThat(ids.known(3, 4)).isEqualTo(78);
        assertThat(ids.known(2, 1)).isEqualTo(DedupWindow.NEW);
    }

    @Test
    void keysThatShareOneHalfAreDistinct() {
        DedupWindow ids = new DedupWindow(400_000, 1000, 0, cutShort);
        for (int i = 0; i < 50_000; i++) {
            assertThat(ids.firstPosition(i, -1, 0, i, 0)).isEqualTo(DedupWindow.NEW);
            assertThat(ids.firstPosition(-1, i, 0, i, 0)).isEqualTo(DedupWindow.NEW);
        }
    }

    @Test
    void lookingRemembersNothing() {
        DedupWindow ids = new DedupWindow(10_000, 1000, 0, cutShort);
        assertThat(ids.look(1, 2, 11)).isEqualTo(DedupWindow.NEW);
        assertThat(ids.firstPosition(1, 2, 11, 77, 0)).isEqualTo(DedupWindow.NEW);
        assertThat(ids.look(1, 2, 11)).isEqualTo(77);
    }

    @Test
    void onlyLostPositionsAreDropped() {
        DedupWindow ids = new DedupWindow(10_000, 1000, 0, cutShort);
        for (int i = 0; i < 1_000; i++) ids.firstPosition(7, i, ~i, i, i * 2L); // over two generations
        ids.forgetFrom(600);
        for (int i = 0; i < 1_000; i++) assertThat(ids.look(7, i, ~i)).isEqualTo(i < 600 ? i : DedupWindow.NEW);
        assertThat(ids.firstPosition(7, 600, ~600, 1_000, 2_000)).isEqualTo(DedupWindow.NEW);
        assertThat(ids.firstPosition(7, 599, ~599, 1_001, 2_000)).isEqualTo(599);
        ids.forgetFrom(0);
        assertThat(ids.look(7, 0, ~0)).isEqualTo(DedupWindow.NEW);
    }

    @Test
    void concurrentLookupsAreCorrect() throws Exception {
        int all = 300_000;
        DedupWindow ids = new DedupWindow(all / 2, Long.MAX_VALUE, 0, cutShort); // forgets some on the way
        AtomicInteger written = new AtomicInteger();
        try (ExecutorService readers = Executors.newFixedThreadPool(2)) {
            List<Future<Integer>> found = new ArrayList<>();
            for (int reader = 0; reader < 2; reader++) {
                Random random = new Random(reader);
                found.add(readers.submit(() -> {
                    int hits = 0;
                    int last;
                    while ((last = written.get()) < all) {
                        int i = last + random.nextInt(2001) - 1000; // the newest, and some to come
                        long position = ids.look(high(i), i, ~i);
                        if (position == DedupWindow.NEW) continue;
                        if (position != i) throw new AssertionError(i + " was found at " + position);
                        hits++;
                    }
                    return hits;
                }));
            }
            for (int i = 0; i < all; i++) {
                ids.firstPosition(high(i), i, ~i, i, 0);
                written.lazySet(i + 1);
            }
            for (Future<Integer> hits : found)
                assertThat(hits.get(30, TimeUnit.SECONDS)).isPositive();
        }
        assertThat(cutShort.sum()).isPositive();
    }

    /** Few values, so that many ids begin at the same slot. */
    private static long high(int i) {
        return i & 7;
    }

    @Test
    void idsAreRememberedForAtLeastTheGivenTimeAndForgottenAfterTwiceThat() {
        DedupWindow ids = new DedupWindow(10_000, 1000, 0, cutShort);
        ids.firstPosition(1, 1, 0, 7, 999);
        assertThat(ids.firstPosition(1, 1, 0, 8, 1000)).isEqualTo(7);
        assertThat(ids.firstPosition(1, 1, 0, 8, 1999)).isEqualTo(7);
        assertThat(ids.firstPosition(1, 1, 0, 8, 2000)).isEqualTo(-1);
        assertThat(cutShort.sum()).isZero();
    }

    @Test
    void manyIdsAreAllFound() {
        DedupWindow ids = new DedupWindow(400_000, 1000, 0, cutShort);
        Random random = new Random(1);
        long[][] all = random.longs(200_000)
                .mapToObj(high -> new long[] {high, high * 31})
                .toArray(long[][]::new);
        for (int i = 0; i < all.length; i++)
            assertThat(ids.firstPosition(all[i][0], all[i][1], 0, i, 0)).isEqualTo(-1);
        for (int i = 0; i < all.length; i++)
            assertThat(ids.firstPosition(all[i][0], all[i][1], 0, -5, 1)).isEqualTo(i);
    }

    @Test
    void idsThatDifferInFewBitsAreFoundQuickly() {
        DedupWindow ids = new DedupWindow(400_000, 1000, 0, cutShort);
        for (int i = 0; i < 100_000; i++)
            ids.firstPosition(0x0199_0000_0000_7000L, 0x8000_0000_0000_0000L | i, 0, i, 0);
        for (int i = 0; i < 100_000; i++)
            assertThat(ids.firstPosition(0x0199_0000_0000_7000L, 0x8000_0000_0000_0000L | i, 0, -5, 0))
                    .isEqualTo(i);
    }

    @Test
    void beyondTheBoundTheOlderHalfIsForgottenAndCounted() {
        DedupWindow ids = new DedupWindow(2000, 1_000_000, 0, cutShort);
        for (int i = 0; i < 2000; i++) ids.firstPosition(i, i, 0, i, 0);
        assertThat(cutShort.sum()).isZero();
        ids.firstPosition(2000, 2000, 0, 2000, 0);
        assertThat(cutShort.sum()).isEqualTo(1);
        assertThat(ids.firstPosition(1999, 1999, 0, -5, 0)).isEqualTo(1999);
        assertThat(ids.firstPosition(1000, 1000, 0, -5, 0)).isEqualTo(1000);
        assertThat(ids.firstPosition(999, 999, 0, 5000, 0)).isEqualTo(-1);
    }
}
