package chat.server.room;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.LongAdder;

/**
 * The ids of the messages of the last minutes with their first positions, so that a message that stands in the log twice
 * counts where it stood first; and with a hash of what they said, so that another message under the same id is noticed.
 * Two generations of open addressing over primitive arrays: an id is remembered for one to two times the given age,
 * unless more come than there is room for; then the older half goes early, and is counted.
 *
 * <p>Written by the partition's thread alone. Any thread may {@link #look}: a slot is written once, its value last, and
 * arrays grow by copy, so what is found is right; what is not found may be there all the same.
 */
final class RecentIds {
    /** An answer: the id was not there. */
    static final long NEW = -1;

    private static final int FIRST_CAPACITY = 1024;
    private static final VarHandle SLOT = MethodHandles.arrayElementVarHandle(long[].class);

    private final int maxPerGeneration;
    private final long generationMillis;
    private volatile Generation young = new Generation(FIRST_CAPACITY);
    private volatile Generation old = new Generation(FIRST_CAPACITY);
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

    /**
     * Remembers the id under this position, unless it is there already. Partition's thread only.
     *
     * @param content a hash of everything that the message says
     * @return {@link #NEW}; the first position; or, where the first said something else, a {@link #isConflict conflict}
     */
    long firstPosition(long high, long low, long content, long position, long nowMillis) {
        boolean aged = nowMillis - youngSince >= generationMillis;
        Generation current = young;
        if (aged || current.size >= maxPerGeneration) {
            if (!aged && old.size > 0) cutShort.increment();
            old = current;
            // As many ids as before are to be expected: growing step by step would copy them all again.
            current = new Generation(current.likelyCapacity());
            young = current;
            youngSince = nowMillis;
        }
        long known = old.get(high, low, content);
        return known != NEW ? known : current.putIfAbsent(high, low, content, position);
    }

    /** The answer of {@link #firstPosition}, without remembering anything; {@link #NEW} promises nothing. Any thread. */
    long look(long high, long low, long content) {
        long known = young.get(high, low, content);
        return known != NEW ? known : old.get(high, low, content);
    }

    /** Whether the id belongs to a message that says something else. */
    static boolean isConflict(long answer) {
        return answer < NEW;
    }

    /** The position under which this id came first, whatever was said; {@link #NEW} where it is not known. */
    long known(long high, long low) {
        long known = old.first(high, low);
        return known != NEW ? known : young.first(high, low);
    }

    private static final class Generation {
        /** Four longs each: id, id, hash of the content, position + 1; 0 in the last: free. */
        private static final int LONGS = 4;

        private static final int VALUE = 3;

        private volatile long[] slots;

        private int size;

        Generation(int capacity) {
            slots = new long[capacity * LONGS];
        }

        int likelyCapacity() {
            return Math.max(FIRST_CAPACITY, Integer.highestOneBit(Math.max(1, size)) * 4);
        }

        long get(long high, long low, long content) {
            long[] table = slots;
            int at = slotOf(table, high, low);
            if (at < 0) return NEW;
            long position = table[at + VALUE] - 1;
            return table[at + 2] == content ? position : Long.MIN_VALUE | position;
        }

        long first(long high, long low) {
            long[] table = slots;
            int at = slotOf(table, high, low);
            return at < 0 ? NEW : table[at + VALUE] - 1;
        }

        /** Each value is read once: the slot that is free now may be another id's a moment later; -1: it has none. */
        private static int slotOf(long[] table, long high, long low) {
            int at = firstSlot(table, high, low);
            while ((long) SLOT.getAcquire(table, at + VALUE) != 0) {
                if (table[at] == high && table[at + 1] == low) return at;
                at = nextSlot(table, at);
            }
            return -1;
        }

        long putIfAbsent(long high, long low, long content, long position) {
            long known = get(high, low, content);
            if (known != NEW) return known;
            long[] table = slots;
            put(table, high, low, content, position + 1);
            if (++size * LONGS > table.length / 2) grow(table);
            return NEW;
        }

        private void grow(long[] table) {
            long[] larger = new long[table.length * 2];
            for (int at = 0; at < table.length; at += LONGS) {
                long value = table[at + VALUE];
                if (value == 0) continue;
                put(larger, table[at], table[at + 1], table[at + 2], value);
            }
            slots = larger;
        }

        private static void put(long[] table, long high, long low, long content, long value) {
            int at = firstSlot(table, high, low);
            while (table[at + VALUE] != 0) at = nextSlot(table, at);
            table[at] = high;
            table[at + 1] = low;
            table[at + 2] = content;
            SLOT.setRelease(table, at + VALUE, value);
        }

        private static int firstSlot(long[] table, long high, long low) {
            long hash = (high ^ Long.rotateLeft(low, 32)) * 0x9E3779B97F4A7C15L;
            return ((int) (hash >>> 32) & (table.length / LONGS - 1)) * LONGS;
        }

        private static int nextSlot(long[] table, int at) {
            return (at + LONGS) & (table.length - 1);
        }
    }
}
