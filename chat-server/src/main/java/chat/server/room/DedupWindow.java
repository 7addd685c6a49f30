package chat.server.room;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.LongAdder;

/**
 * The {@linkplain MessageKey keys} of the messages of the last minutes with their first positions, so that a message that
 * is in the log twice counts at its first position; and with a {@linkplain ContentHash hash of what they say}, so that
 * another message under the same key is noticed. Two generations of open addressing over primitive arrays: a key is
 * remembered for one to two times the given age, unless more come than there is room for; then the older half goes early,
 * and is counted.
 *
 * <p>Written by the partition's thread alone. Any thread may {@link #look}: a slot is written once, its tag last, and
 * tables grow by copy, so what is found is right; what is not found may be there all the same.
 */
final class DedupWindow {
    /** An answer: the key was not there. */
    static final long NEW = -1;

    /** Small: each who reads the log for his past has one of these. */
    private static final int FIRST_CAPACITY = 64;

    private static final VarHandle TAG = MethodHandles.arrayElementVarHandle(byte[].class);

    private final int maxPerGeneration;
    private final long generationMillis;
    private volatile Generation young = new Generation(FIRST_CAPACITY);
    private volatile Generation old = new Generation(FIRST_CAPACITY);
    private long youngSince;
    private final LongAdder cutShort;

    /**
     * @param maxKeys remembered at most, in both generations
     * @param cutShort counts how often keys were forgotten early because too many came
     */
    DedupWindow(int maxKeys, long generationMillis, long nowMillis, LongAdder cutShort) {
        this.cutShort = cutShort;
        this.maxPerGeneration = maxKeys / 2;
        this.generationMillis = generationMillis;
        this.youngSince = nowMillis;
    }

    /**
     * Remembers the key with this position, unless it is there already. Partition's thread only.
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
            // As many keys as before are to be expected: growing step by step would copy them all again.
            current = new Generation(current.likelyCapacity());
            young = current;
            youngSince = nowMillis;
        }
        long known = old.get(high, low, content);
        return known != NEW ? known : current.putIfAbsent(high, low, content, position);
    }

    /** As if no key with this position or a later one had ever been there. Partition's thread only. */
    void forgetFrom(long position) {
        young = young.before(position);
        old = old.before(position);
    }

    /** The answer of {@link #firstPosition}, without remembering anything; {@link #NEW} promises nothing. Any thread. */
    long look(long high, long low, long content) {
        long known = young.get(high, low, content);
        return known != NEW ? known : old.get(high, low, content);
    }

    /** Whether the key belongs to a message that says something else. */
    static boolean isConflict(long answer) {
        return answer < NEW;
    }

    /** Where the message stood that has the key, of an answer that is a {@linkplain #isConflict conflict} or a position. */
    static long positionOf(long answer) {
        return answer & Long.MAX_VALUE;
    }

    /**
     * The position under which this key came first, whatever was said; {@link #NEW} where it is not known. Partition's
     * thread only.
     */
    long known(long high, long low) {
        long known = old.first(high, low);
        return known != NEW ? known : young.first(high, low);
    }

    private static final class Generation {
        private volatile Slots slots;

        private int size;

        Generation(int capacity) {
            slots = new Slots(capacity);
        }

        Generation before(long position) {
            Generation kept = new Generation(FIRST_CAPACITY);
            slots.forEachBefore(position, kept::putIfAbsent);
            return kept;
        }

        int likelyCapacity() {
            return Math.max(FIRST_CAPACITY, Integer.highestOneBit(Math.max(1, size)) * 4);
        }

        long get(long high, long low, long content) {
            Slots table = slots;
            int at = table.find(high, low);
            if (at < 0) return NEW;
            long position = table.position(at);
            return table.content(at) == content ? position : Long.MIN_VALUE | position;
        }

        long first(long high, long low) {
            Slots table = slots;
            int at = table.find(high, low);
            return at < 0 ? NEW : table.position(at);
        }

        long putIfAbsent(long high, long low, long content, long position) {
            long known = get(high, low, content);
            if (known != NEW) return known;
            Slots table = slots;
            table.put(high, low, content, position);
            if (++size > table.capacity() / 2) slots = table.grown();
            return NEW;
        }
    }

    private interface Visitor {
        void visit(long high, long low, long content, long position);
    }

    /**
     * A table of open addressing. A byte for each slot tells by some bits of its key whether it is worth looking at:
     * most keys that are asked for are new, the bytes stay in the processor's caches, and the slots do not.
     */
    private static final class Slots {
        /** Of a slot: key, key, hash of the content, position. */
        private static final int LONGS = 4;

        private static final byte FREE = 0;

        private final byte[] tags;
        private final long[] longs;

        /** @param capacity a power of two */
        Slots(int capacity) {
            tags = new byte[capacity];
            longs = new long[capacity * LONGS];
        }

        int capacity() {
            return tags.length;
        }

        /** Each tag is read once: the slot that is free now may be another key's a moment later; -1: it has none. */
        int find(long high, long low) {
            long hash = hash(high, low);
            byte wanted = tag(hash);
            int at = firstSlot(hash);
            for (byte tag; (tag = (byte) TAG.getAcquire(tags, at)) != FREE; at = nextSlot(at))
                if (tag == wanted && longs[at * LONGS] == high && longs[at * LONGS + 1] == low) return at;
            return -1;
        }

        long content(int at) {
            return longs[at * LONGS + 2];
        }

        long position(int at) {
            return longs[at * LONGS + 3];
        }

        /** The key is not there. */
        void put(long high, long low, long content, long position) {
            long hash = hash(high, low);
            int at = firstSlot(hash);
            while (tags[at] != FREE) at = nextSlot(at);
            longs[at * LONGS] = high;
            longs[at * LONGS + 1] = low;
            longs[at * LONGS + 2] = content;
            longs[at * LONGS + 3] = position;
            TAG.setRelease(tags, at, tag(hash));
        }

        void forEachBefore(long position, Visitor visitor) {
            for (int at = 0; at < tags.length; at++)
                if (tags[at] != FREE && position(at) < position)
                    visitor.visit(longs[at * LONGS], longs[at * LONGS + 1], content(at), position(at));
        }

        Slots grown() {
            Slots larger = new Slots(tags.length * 2);
            for (int at = 0; at < tags.length; at++) {
                if (tags[at] == FREE) continue;
                larger.put(longs[at * LONGS], longs[at * LONGS + 1], content(at), position(at));
            }
            return larger;
        }

        private static long hash(long high, long low) {
            return (high ^ Long.rotateLeft(low, 32)) * 0x9E3779B97F4A7C15L;
        }

        /** Of the hash's highest bits, which say little about the place; never that of a free slot. */
        private static byte tag(long hash) {
            return (byte) ((hash >>> 57) | 0x80);
        }

        private int firstSlot(long hash) {
            return (int) (hash >>> 32) & (tags.length - 1);
        }

        private int nextSlot(int at) {
            return (at + 1) & (tags.length - 1);
        }
    }
}
