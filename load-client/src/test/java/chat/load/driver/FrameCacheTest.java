package chat.load.driver;

import static org.assertj.core.api.Assertions.assertThat;

import chat.load.dialect.Dialects;
import chat.load.plan.Backoff;
import chat.load.plan.RunIds;
import chat.load.report.Counters;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FrameCacheTest {
    private static final int SLOTS = 1 << 14;
    private static final int MAX_BYTES = 16 << 20;

    /** Of a run that never begins: the cache does not look at it. */
    private static Room room;

    private static Sockets sockets;

    private final FrameCache cache = new FrameCache();

    @BeforeAll
    static void aRoom() throws SSLException {
        sockets = new Sockets(List.of(ServerUrl.parse("ws://127.0.0.1:1")), 1);
        RunState run = new RunState(
                PlanBuilder.of(1, 1, 1).plan(),
                Dialects.confab(),
                new RunIds(0, 0),
                sockets,
                new Counters(),
                Backoff.DEFAULT);
        room = new Group(run, new Loop(sockets.nextLoop(), Dialects.confab(), null), 0).rooms.getFirst();
    }

    @AfterAll
    static void close() {
        sockets.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 7, 8, 9, 255, 256, 257, 511, 512, 513, 519, 520, 5000})
    void theSameBytesAreFoundWhereverTheyLie(int length) {
        Batch batch = batch(bytes(length, 1));
        cache.add(batch);
        byte[] read = new byte[length + 20];
        Arrays.fill(read, (byte) 'x');
        System.arraycopy(bytes(length, 1), 0, read, 13, length);
        assertThat(find(ByteBuffer.wrap(read, 13, length))).isSameAs(batch);
        ByteBuffer direct = ByteBuffer.allocateDirect(length + 20);
        direct.put(5, bytes(length, 1)).position(5).limit(5 + length);
        assertThat(find(direct)).isSameAs(batch);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 8, 9, 255, 256, 257, 511, 512, 513, 519, 520, 5000})
    void aDifferenceInAnyByteIsSeen(int length) {
        cache.add(batch(bytes(length, 1)));
        for (int at = 0; at < length; at++) {
            byte[] other = bytes(length, 1);
            other[at] ^= 1;
            assertThat(find(ByteBuffer.wrap(other))).as("byte %d", at).isNull();
        }
    }

    @Test
    void longUnitsThatDifferInTheirMiddleHaveOneHashAndAreNotConfused() {
        byte[] one = bytes(2000, 1);
        byte[] other = bytes(2000, 1);
        other[1000] ^= 1;
        assertThat(hash(other)).isEqualTo(hash(one));
        Batch first = batch(one);
        Batch second = batch(other);
        cache.add(first);
        assertThat(find(ByteBuffer.wrap(other))).isNull();
        // They share a slot: the newer one has it.
        cache.add(second);
        assertThat(find(ByteBuffer.wrap(other))).isSameAs(second);
        assertThat(find(ByteBuffer.wrap(one))).isNull();
    }

    @Test
    void aPrefixIsAnotherUnit() {
        cache.add(batch(bytes(100, 1)));
        assertThat(find(ByteBuffer.wrap(bytes(100, 1), 0, 99))).isNull();
        assertThat(find(ByteBuffer.wrap(bytes(101, 1)))).isNull();
    }

    @Test
    void aSlotThatAnotherTookStaysItsOwnWhenTheOlderOneGoes() {
        Batch older = batch(bytes(50, 1), 4711);
        Batch newer = batch(bytes(50, 2), 4711);
        cache.add(older);
        cache.add(newer);
        assertThat(cache.find(older.bytes(), 4711)).isNull();
        assertThat(cache.find(newer.bytes(), 4711)).isSameAs(newer);
        // So many more push the older one out, and not yet the newer.
        for (int i = 0; i < SLOTS - 1; i++) cache.add(batch(bytes(8, i), 1));
        assertThat(cache.find(newer.bytes(), 4711)).isSameAs(newer);
        cache.add(batch(bytes(8, 0), 1));
        assertThat(cache.find(newer.bytes(), 4711)).isNull();
    }

    @Test
    void theSameUnitAddedAgainCountsByItsLastTime() {
        Batch first = batch(bytes(50, 1), 4711);
        Batch again = batch(bytes(50, 1), 4711);
        cache.add(first);
        for (int i = 0; i < SLOTS - 1; i++) cache.add(batch(bytes(8, i), 1));
        cache.add(again);
        assertThat(cache.find(first.bytes(), 4711)).isSameAs(again);
    }

    @Test
    void onlySoManyAreKept() {
        List<Batch> added = new ArrayList<>();
        for (int i = 0; i < SLOTS + 100; i++) {
            Batch batch = batch(bytes(8, i), i);
            added.add(batch);
            cache.add(batch);
        }
        assertThat(kept(added)).isEqualTo(SLOTS);
        assertThat(cache.find(added.get(99).bytes(), 99)).isNull();
        assertThat(cache.find(added.get(100).bytes(), 100)).isSameAs(added.get(100));
    }

    @Test
    void onlySoManyBytesAreKeptTheLastOnes() {
        int length = 1 << 20;
        List<Batch> added = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            Batch batch = batch(bytes(length, i), i);
            added.add(batch);
            cache.add(batch);
            assertThat(kept(added) * length).isLessThanOrEqualTo(MAX_BYTES);
        }
        // One short of what fits by its bytes alone: each costs a little more.
        assertThat(kept(added)).isEqualTo(MAX_BYTES / length - 1);
        assertThat(cache.find(added.getLast().bytes(), 39)).isSameAs(added.getLast());
    }

    @Test
    void aUnitLargerThanAllIsNotKeptAndHarmsNothing() {
        Batch huge = batch(new byte[MAX_BYTES + 1], 5);
        cache.add(huge);
        assertThat(cache.find(huge.bytes(), 5)).isNull();
        Batch small = batch(bytes(10, 1), 6);
        cache.add(small);
        assertThat(cache.find(small.bytes(), 6)).isSameAs(small);
    }

    @Test
    void aBatchOfManyNumbersCountsWithThem() {
        // Small units with enough numbers to fill the memory.
        List<Batch> added = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            Batch batch = new Batch(ByteBuffer.wrap(bytes(8, i)), i, room, new int[100_000], new long[100_000], 0, i);
            added.add(batch);
            cache.add(batch);
        }
        assertThat(kept(added) * 12L * 100_000).isBetween(MAX_BYTES / 2L, (long) MAX_BYTES);
    }

    private long kept(List<Batch> added) {
        return added.stream()
                .filter(batch -> cache.find(batch.bytes(), batch.hash()) != null)
                .count();
    }

    private static byte[] bytes(int length, int seed) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    private @Nullable Batch find(ByteBuffer unit) {
        return cache.find(unit, FrameCache.hash(unit));
    }

    private static int hash(byte[] unit) {
        return FrameCache.hash(ByteBuffer.wrap(unit));
    }

    private static Batch batch(byte[] unit) {
        return batch(unit, hash(unit));
    }

    private static Batch batch(byte[] unit, int hash) {
        return new Batch(ByteBuffer.wrap(unit), hash, room, new int[0], new long[0], 0, 1);
    }
}
