package chat.log;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/**
 * Remembers which entries of each server incarnation were read, so that a reader can drop duplicates. An entry that was
 * republished in a later epoch is not a duplicate: the first one may have been lost with the tail of the log. An
 * incarnation has few unconfirmed entries, so a window of 64 sequence numbers below its highest covers all that can
 * still arrive. Not thread-safe.
 */
final class SeenIncarnations {
    /** Below every sequence. */
    static final long NONE = 0;

    private static final int MAX_WINDOWS = 1024;

    private final Map<Writer, Window> windows = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Writer, Window> eldest) {
            if (size() <= MAX_WINDOWS) return false;
            forgotten.increment();
            return true;
        }
    };

    private final LongAdder forgotten;

    /** @param forgotten counts the windows that were evicted because there were too many */
    SeenIncarnations(LongAdder forgotten) {
        this.forgotten = forgotten;
    }

    /**
     * Marks an entry as seen and returns whether it was not seen before.
     *
     * @param epoch for which it was written
     */
    boolean firstTime(long epoch, long incarnation, long sequence) {
        return windows.computeIfAbsent(new Writer(epoch, incarnation), unused -> new Window(sequence))
                .add(sequence);
    }

    /** The highest sequence seen of this incarnation, in any epoch; {@link #NONE} if none was. */
    long highest(long incarnation) {
        long highest = NONE;
        for (Map.Entry<Writer, Window> entry : windows.entrySet())
            if (entry.getKey().incarnation == incarnation) highest = Math.max(highest, entry.getValue().highest);
        return highest;
    }

    private record Writer(long epoch, long incarnation) {}

    private static final class Window {
        private long highest;
        /** Bit i: highest - i was seen. */
        private long seen;

        Window(long first) {
            highest = first - 1;
        }

        boolean add(long sequence) {
            if (sequence > highest) {
                long ahead = sequence - highest;
                seen = ahead >= Long.SIZE ? 1 : seen << ahead | 1;
                highest = sequence;
                return true;
            }
            long behind = highest - sequence;
            if (behind >= Long.SIZE) return false;
            long bit = 1L << behind;
            if ((seen & bit) != 0) return false;
            seen |= bit;
            return true;
        }
    }
}
