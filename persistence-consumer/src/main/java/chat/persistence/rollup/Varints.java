package chat.persistence.rollup;

import java.util.Arrays;

/** Encodes numbers in seven bits per byte: small ones take one byte. Not thread-safe. */
final class Varints {
    private static final int MAX_BYTES = 10;

    private Varints() {}

    /** Grows as needed. */
    static final class Writer {
        private byte[] bytes;
        private int length;

        Writer(int expected) {
            bytes = new byte[Math.max(16, expected)];
        }

        Writer raw(int value) {
            if (length == bytes.length) bytes = Arrays.copyOf(bytes, length * 2);
            bytes[length++] = (byte) value;
            return this;
        }

        /** @param value negative ones take ten bytes */
        Writer number(long value) {
            if (bytes.length - length < MAX_BYTES) bytes = Arrays.copyOf(bytes, bytes.length * 2);
            long rest = value;
            while ((rest & ~0x7fL) != 0) {
                bytes[length++] = (byte) (rest | 0x80);
                rest >>>= 7;
            }
            bytes[length++] = (byte) rest;
            return this;
        }

        /** @param value small absolute values take the fewest bytes */
        Writer signed(long value) {
            return number((value << 1) ^ (value >> 63));
        }

        byte[] bytes() {
            return Arrays.copyOf(bytes, length);
        }
    }

    /** Reads the output of {@link Writer}; throws ArrayIndexOutOfBoundsException past the end. */
    static final class Reader {
        private final byte[] bytes;
        private int next;

        Reader(byte[] bytes, int from) {
            this.bytes = bytes;
            this.next = from;
        }

        boolean more() {
            return next < bytes.length;
        }

        long number() {
            long value = bytes[next++];
            if (value >= 0) return value;
            value &= 0x7f;
            for (int shift = 7; shift < 64; shift += 7) {
                byte piece = bytes[next++];
                value |= (piece & 0x7fL) << shift;
                if (piece >= 0) return value;
            }
            throw new IllegalArgumentException("no number ends before byte " + next);
        }

        long signed() {
            long value = number();
            return (value >>> 1) ^ -(value & 1);
        }
    }
}
