package chat.server.dedup;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.LongAdder;

/**
 * The deduplication window: maps the {@linkplain MessageKey keys} of recent messages to their first positions, to
 * recognize a message that is in the log twice. Also keeps a {@linkplain ContentHash hash of the content}, to recognize
 * a different message under the same key. Two generations of open addressing over primitive arrays: a key stays for one
 * to two times the given age. If the window is full, its older half is dropped early and counted.
 *
 * <p>Only the partition's thread writes. Any thread may {@link #look}: a slot is written once, its tag last, and tables
 * grow by copying. A result is always correct, but a key that was just added may not be found.
 */
public final class DedupWindow {
    /** The answer for an unknown key. */
    public static final long NEW = -1;

    /** Small, because each member that catches up from the log has a window. */
    private static final int FIRST_CAPACITY = 64;

    private static final VarHandle TAG = MethodHandles.arrayElementVarHandle(byte[].class);

    private final int maxPerGeneration;
    private final long generationMillis;
    private volatile Generation young = new Generation(FIRST_CAPACITY);
    private volatile Generation old = new Generation(FIRST_CAPACITY);
    private long youngSince;
    private final LongAdder cutShort;

    /**
     * @param maxKeys maximum number of keys in both generations
     * @param cutShort counts how often a generation was dropped early
     */
    public DedupWindow(int maxKeys, long generationMillis, long nowMillis, LongAdder cutShort) {
        this.cutShort = cutShort;
        this.maxPerGeneration = maxKeys / 2;
        this.generationMillis = generationMillis;
        this.youngSince = nowMillis;
    }

    /**
     * Adds the key with this position, unless it is known. Partition's thread only.
     *
     * @param content a hash of the message's content
     * @return {@link #NEW}; the first position; or a {@link #isConflict conflict} if the first message had other
     *     content
     */
    public long firstPosition(long high, long low, long content, long position, long nowMillis) {
        boolean aged = nowMillis - youngSince >= generationMillis;
        Generation current = young;
        if (aged || current.size >= maxPerGeneration) {
            if (!aged && old.size > 0) cutShort.increment();
            old = current;
            // Sized for as many keys as before: growing step by step would copy them again and again.
            current = new Generation(current.likelyCapacity());
            young = current;
            youngSince = nowMillis;
        }
        long known = old.get(high, low, content);
        return known != NEW ? known : current.putIfAbsent(high, low, content, position);
    }

    /** Removes all keys with this position or a later one. Partition's thread only. */
    public void forgetFrom(long position) {
        young = young.before(position);
        old = old.before(position);
    }

    /** As {@link #firstPosition}, but adds nothing, and {@link #NEW} may be wrong. Any thread. */
    public long look(long high, long low, long content) {
        long known = young.get(high, low, content);
        return known != NEW ? known : old.get(high, low, content);
    }

    /** Whether the answer means that the key belongs to a message with other content. */
    public static boolean isConflict(long answer) {
        return answer < NEW;
    }

    /** Returns the first position from an answer that is a position or a {@linkplain #isConflict conflict}. */
    public static long positionOf(long answer) {
        return answer & Long.MAX_VALUE;
    }

    /**
     * Returns the first position of a key, whatever the content; {@link #NEW} if the key is unknown. Partition's thread
     * only.
     */
    public long known(long high, long low) {
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
     * A hash table with open addressing. A tag byte for each slot has some bits of the key's hash: most looked-up keys
     * are new, and the tags stay in the processor's caches while the slots do not.
     */
    private static final class Slots {
        /** Layout of a slot: key high, key low, content hash, position. */
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

        /**
         * Returns the slot of a key, or -1. Reads each tag once, because another key may take a free slot at any time.
         */
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

        /** Adds a key that is not in the table. */
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

        /** Takes the hash's highest bits, which barely affect the slot; never equals the tag of a free slot. */
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
