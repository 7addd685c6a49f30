package chat.server.dedup;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * SipHash-2-4 with 128 bits: an attacker without its key can neither predict a hash nor find two inputs with the same
 * one. Allocates nothing; one input at a time, its 8-byte words first and then the rest. Not thread-safe.
 *
 * @see <a href="https://github.com/veorq/SipHash">The reference implementation</a>
 */
final class SipHash {
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private final long key0;
    private final long key1;
    private long v0;
    private long v1;
    private long v2;
    private long v3;
    private int length;
    private long first;
    private long second;

    SipHash(long key0, long key1) {
        this.key0 = key0;
        this.key1 = key1;
    }

    /** Begins an input. */
    SipHash start() {
        v0 = key0 ^ 0x736f6d6570736575L;
        v1 = key1 ^ 0x646f72616e646f6dL ^ 0xee;
        v2 = key0 ^ 0x6c7967656e657261L;
        v3 = key1 ^ 0x7465646279746573L;
        length = 0;
        return this;
    }

    SipHash add(long word) {
        length += Long.BYTES;
        compress(word);
        return this;
    }

    /** Ends the input with these bytes. */
    void end(byte[] bytes, int from, int to) {
        int at = from;
        for (; at + Long.BYTES <= to; at += Long.BYTES) add((long) LONG.get(bytes, at));
        long rest = 0;
        for (int i = at; i < to; i++) rest |= (bytes[i] & 0xffL) << ((i - at) * Byte.SIZE);
        finish(rest, to - at);
    }

    /** Ends the input with the bytes of an ASCII text. */
    void end(String ascii) {
        long word = 0;
        int bytes = 0;
        for (int i = 0; i < ascii.length(); i++) {
            word |= (ascii.charAt(i) & 0xffL) << (bytes * Byte.SIZE);
            if (++bytes < Long.BYTES) continue;
            add(word);
            word = 0;
            bytes = 0;
        }
        finish(word, bytes);
    }

    /** The first 64 bits of the hash. */
    long first() {
        return first;
    }

    long second() {
        return second;
    }

    private void finish(long rest, int bytes) {
        compress(((long) (length + bytes) << 56) | rest);
        v2 ^= 0xee;
        for (int i = 0; i < 4; i++) round();
        first = v0 ^ v1 ^ v2 ^ v3;
        v1 ^= 0xdd;
        for (int i = 0; i < 4; i++) round();
        second = v0 ^ v1 ^ v2 ^ v3;
    }

    private void compress(long word) {
        v3 ^= word;
        round();
        round();
        v0 ^= word;
    }

    private void round() {
        v0 += v1;
        v2 += v3;
        v1 = Long.rotateLeft(v1, 13) ^ v0;
        v3 = Long.rotateLeft(v3, 16) ^ v2;
        v0 = Long.rotateLeft(v0, 32);
        v2 += v1;
        v0 += v3;
        v1 = Long.rotateLeft(v1, 17) ^ v2;
        v3 = Long.rotateLeft(v3, 21) ^ v0;
        v2 = Long.rotateLeft(v2, 32);
    }
}
