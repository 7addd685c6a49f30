package chat.server.room;

import chat.protocol.RoomId;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.security.SecureRandom;

/**
 * What a message says, and where, in 64 bits: room, type, id, sender and text, but not the time of its intake. Two
 * messages that differ have the same hash by chance only, one in 2^64: the seed is another one in each process, so
 * nobody can look for such a pair. Eight bytes at a stride; allocates nothing.
 */
final class ContentHash {
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private static final long SEED;
    private static final long KEY;

    static {
        SecureRandom random = new SecureRandom();
        SEED = random.nextLong();
        KEY = random.nextLong() | 1;
    }

    private ContentHash() {}

    /** What {@link #of(long, byte[], int, int)} begins with for messages of this room. */
    static long ofRoom(RoomId room) {
        String name = room.value();
        long hash = SEED ^ name.length();
        for (int i = 0; i < name.length(); i++) hash = mix(hash ^ name.charAt(i));
        return hash;
    }

    /**
     * @param room see {@link #ofRoom}
     * @param json the bytes of a message as {@link chat.protocol.MessageJson} writes it: its last field is the timestamp
     */
    static long of(long room, byte[] json, int start, int end) {
        int stop = end - 1;
        while (stop > start && json[stop] != ',') stop--;
        long hash = room ^ (stop - start);
        int at = start;
        for (; at + Long.BYTES <= stop; at += Long.BYTES) hash = mix(hash ^ (long) LONG.get(json, at));
        long rest = 0;
        for (; at < stop; at++) rest = rest << Byte.SIZE | (json[at] & 0xff);
        return mix(hash ^ rest);
    }

    /** Both halves of a product of 128 bits, so that every bit has an effect on every other. */
    private static long mix(long bits) {
        return bits * KEY ^ Math.unsignedMultiplyHigh(bits, KEY) ^ Long.rotateLeft(bits, 29);
    }
}
