package chat.server.dedup;

import chat.protocol.MessageType;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;

/**
 * A 64-bit hash of a message's content: type and text; for a JOIN or LEAVE, type and timestamp. It is compared only
 * with hashes of the same sender's messages. Its seed is random in each process. Allocates nothing.
 */
public final class ContentHash {
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    /** Cannot occur inside a JSON string, where quotes are escaped. */
    private static final byte[] TEXT_BEGINS = ",\"message\":\"".getBytes(StandardCharsets.US_ASCII);

    private static final long SEED;
    private static final long KEY;

    static {
        SecureRandom random = new SecureRandom();
        SEED = random.nextLong();
        KEY = random.nextLong() | 1;
    }

    private ContentHash() {}

    /** @param json a message as {@link chat.protocol.MessageJson} writes it; of other JSON, all bytes are hashed */
    public static long of(MessageType type, long timestamp, byte[] json, int start, int end) {
        long begin = mix(SEED ^ type.code());
        if (type != MessageType.TEXT) return mix(begin ^ timestamp);
        int from = textStart(json, start, end);
        return from < 0 ? of(begin, json, start, end) : of(begin, json, from, textEnd(json, from, end));
    }

    private static int textStart(byte[] json, int start, int end) {
        int last = end - TEXT_BEGINS.length;
        for (int at = start; at <= last; at++) {
            int behind = at + TEXT_BEGINS.length;
            if (json[at] == ',' && Arrays.equals(json, at, behind, TEXT_BEGINS, 0, TEXT_BEGINS.length)) return behind;
        }
        return -1;
    }

    private static int textEnd(byte[] json, int from, int end) {
        int at = from;
        while (at < end && json[at] != '"') at += json[at] == '\\' ? 2 : 1;
        return Math.min(at, end);
    }

    private static long of(long begin, byte[] bytes, int start, int end) {
        long hash = mix(begin ^ (end - start));
        int at = start;
        for (; at + Long.BYTES <= end; at += Long.BYTES) hash = mix(hash ^ (long) LONG.get(bytes, at));
        long rest = 0;
        for (; at < end; at++) rest = rest << Byte.SIZE | (bytes[at] & 0xff);
        return mix(hash ^ rest);
    }

    /** Mixes both halves of a 128-bit product, so that every bit affects every other. */
    private static long mix(long bits) {
        return bits * KEY ^ Math.unsignedMultiplyHigh(bits, KEY) ^ Long.rotateLeft(bits, 29);
    }
}
