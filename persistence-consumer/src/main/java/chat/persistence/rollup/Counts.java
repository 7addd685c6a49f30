package chat.persistence.rollup;

import java.util.Arrays;

/**
 * Sums {@link CountBytes} in an array indexed by number. Numbers are assigned consecutively, so the array has few
 * holes. Takes 8 bytes for each number up to the highest. Not thread-safe.
 */
public final class Counts {
    private long[] counts = new long[1024];
    private int distinct;

    /** Amount of numbers with a count. */
    public int distinct() {
        return distinct;
    }

    /** @param more at least 1 */
    public void add(int number, long more) {
        if (number >= counts.length) counts = Arrays.copyOf(counts, Math.max(number + 1, counts.length * 2));
        if (counts[number] == 0) distinct++;
        counts[number] += more;
    }

    /** @param bytes of a {@link CountBytes} */
    public void add(byte[] bytes) {
        CountBytes.read(bytes, this::add);
    }

    /** Visits numbers that have a count, ascending. */
    public void forEach(CountBytes.Sink sink) {
        for (int number = 0; number < counts.length; number++)
            if (counts[number] > 0) sink.count(number, counts[number]);
    }
}
