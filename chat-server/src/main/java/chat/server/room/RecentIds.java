package chat.server.room;

import java.util.concurrent.atomic.LongAdder;

/**
 * The ids of the messages of the last minutes with their first positions, so that a message that stands in the log twice
 * counts where it stood first. Two generations of open addressing over primitive arrays: an id is remembered for one to
 * two times the given age, unless more come than there is room for; then the older half goes early, and is counted.
 * Confined to the partition's thread.
 */
final class RecentIds {
    private static final int FIRST_CAPACITY = 1024;

    private final int maxPerGeneration;
    private final long generationMillis;
    private Generation young = new Generation(FIRST_CAPACITY);
    private Generation old = new Generation(FIRST_CAPACITY);
    private long youngSince;
    private final LongAdder cutShort;

    /**
     * @param maxIds remembered at most, in both generations
     * @param cutShort counts how often ids were forgotten early because too many came
     */
    RecentIds(int maxIds, long generationMillis, long nowMillis, LongAdder cutShort) {
        this.cutShort = cutShort;
        this.maxPerGeneration = maxIds / 2;
        this.generationMillis = generationMillis;
        this.youngSince = nowMillis;
    }

    /** The position under which this id came first, or -1 where it is new; then it is remembered under this one. */
    long firstPosition(long high, long low, long position, long nowMillis) {
        boolean aged = nowMillis - youngSince >= generationMillis;
        if (aged || young.size >= maxPerGeneration) {
            if (!aged && old.size > 0) cutShort.increment();
            old = young;
            young = new Generation(old);
            youngSince = nowMillis;
        }
        long known = old.get(high, low);
        return known >= 0 ? known : young.putIfAbsent(high, low, position);
    }

    /** The position under which this id came first, or -1 where it is not known. */
    long known(long high, long low) {
        long known = old.get(high, low);
        return known >= 0 ? known : young.get(high, low);
    }

    private static final class Generation {
        /** Three longs each: id, id, position + 1; 0 in the third: free. */
        private long[] slots;

        int size;

        Generation(int capacity) {
            slots = new long[capacity * 3];
        }

        /** With room for about as many as the one before had. */
        Generation(Generation before) {
            this(Math.max(FIRST_CAPACITY, Integer.highestOneBit(before.size) * 2));
        }

        long get(long high, long low) {
            int at = find(slots, high, low);
            return slots[at + 2] - 1;
        }

        long putIfAbsent(long high, long low, long position) {
            int at = find(slots, high, low);
            if (slots[at + 2] != 0) return slots[at + 2] - 1;
            put(slots, at, high, low, position + 1);
            if (++size * 3 > slots.length / 2) grow();
            return -1;
        }

        private void grow() {
            long[] larger = new long[slots.length * 2];
            for (int at = 0; at < slots.length; at += 3) {
                if (slots[at + 2] != 0)
                    put(larger, find(larger, slots[at], slots[at + 1]), slots[at], slots[at + 1], slots[at + 2]);
            }
            slots = larger;
        }

        private static void put(long[] slots, int at, long high, long low, long value) {
            slots[at] = high;
            slots[at + 1] = low;
            slots[at + 2] = value;
        }

        private static int find(long[] slots, long high, long low) {
            int capacity = slots.length / 3;
            long hash = (high ^ Long.rotateLeft(low, 32)) * 0x9E3779B97F4A7C15L;
            int slot = (int) ((hash >>> 32) & (capacity - 1));
            while (true) {
                int at = slot * 3;
                if (slots[at + 2] == 0 || (slots[at] == high && slots[at + 1] == low)) return at;
                slot = (slot + 1) & (capacity - 1);
            }
        }
    }
}
