package chat.kit.tracing;

/** Hashes two 64-bit words so that every bit affects the result: the finalizer of SplitMix64, twice. */
final class Mix {
    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    private Mix() {}

    static long of(long first, long second) {
        return finish(finish(first + GOLDEN) ^ second);
    }

    private static long finish(long word) {
        long z = (word ^ (word >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }
}
