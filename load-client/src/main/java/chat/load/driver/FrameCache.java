package chat.load.driver;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Caches the latest units with MESSAGES of all rooms of an event loop. A server sends the same bytes to all members
 * of a room, so most units are copies of a recent one. A hash over some of the bytes finds a candidate; comparing all
 * bytes, one vector instruction per 32, confirms it, so a false match is impossible. Confined to its event loop.
 */
final class FrameCache {
    /** Members of one room receive a unit at different times; the smaller the units, the more lie in between. */
    private static final int SLOTS = 1 << 14;

    private static final int MAX_BYTES = 16 << 20;
    /** Bytes that a batch needs besides the unit itself. */
    private static final int OVERHEAD = 200;

    private final @Nullable Batch[] table = new @Nullable Batch[SLOTS];
    private final ArrayDeque<Batch> ages = new ArrayDeque<>();
    private long bytes;

    @Nullable
    Batch find(ByteBuffer unit, int hash) {
        Batch batch = table[hash & (SLOTS - 1)];
        return batch != null
                        && batch.hash() == hash
                        && batch.bytes().remaining() == unit.remaining()
                        && batch.bytes().mismatch(unit) < 0
                ? batch
                : null;
    }

    // Compares by identity: another batch with the same bytes may have replaced it.
    @SuppressWarnings("ReferenceEquality")
    void add(Batch batch) {
        int slot = batch.hash() & (SLOTS - 1);
        table[slot] = batch;
        ages.addLast(batch);
        bytes += size(batch);
        while (bytes > MAX_BYTES || ages.size() > SLOTS) {
            Batch oldest = ages.removeFirst();
            bytes -= size(oldest);
            int its = oldest.hash() & (SLOTS - 1);
            if (table[its] == oldest) table[its] = null;
        }
    }

    private static long size(Batch batch) {
        return batch.bytes().remaining() + 12L * batch.numbers().length + OVERHEAD;
    }

    /** Hashes all bytes of a short unit, or the beginning and end of a long one, where positions and ids differ. */
    static int hash(ByteBuffer unit) {
        int from = unit.position();
        int length = unit.remaining();
        long hash = length * 0x9E37_79B9_7F4A_7C15L;
        int words = length / Long.BYTES;
        int head = Math.min(words, 32);
        for (int i = 0; i < head; i++) hash = mix(hash, unit.getLong(from + i * Long.BYTES));
        int tail = Math.min(words - head, 32);
        for (int i = 1; i <= tail; i++) hash = mix(hash, unit.getLong(from + length - i * Long.BYTES));
        if (tail == 0) for (int i = head * Long.BYTES; i < length; i++) hash = mix(hash, unit.get(from + i));
        return (int) (hash ^ (hash >>> 32));
    }

    private static long mix(long hash, long word) {
        return Long.rotateLeft((hash ^ word) * 0x9E37_79B9_7F4A_7C15L, 29);
    }
}
