package chat.log;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/**
 * Which entries of which run have been read: the first place of an entry counts, copies are dropped. One that was
 * written again for a later origin is no copy: where the first was lost with the end of a log, it is all that is left.
 * A run writes with few entries unconfirmed, so a window of 64 sequence numbers behind its highest tells all that can
 * still come. Not thread-safe.
 */
final class SeenIncarnations {
    /** Below every sequence. */
    static final long NONE = 0;

    private static final int MAX_RUNS = 1024;

    private final Map<Run, Window> windows = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Run, Window> eldest) {
            if (size() <= MAX_RUNS) return false;
            forgotten.increment();
            return true;
        }
    };

    private final LongAdder forgotten;

    /** @param forgotten counts the runs that were forgotten as there were too many */
    SeenIncarnations(LongAdder forgotten) {
        this.forgotten = forgotten;
    }

    /**
     * Whether this entry had not been seen; it is seen from now on.
     *
     * @param origin for which it was written
     */
    boolean firstTime(long origin, long run, long sequence) {
        return windows.computeIfAbsent(new Run(origin, run), unused -> new Window(sequence))
                .add(sequence);
    }

    /** The highest sequence that was seen of this run, for whatever origin; {@link #NONE}: none. */
    long highest(long run) {
        long highest = NONE;
        for (Map.Entry<Run, Window> entry : windows.entrySet())
            if (entry.getKey().run == run) highest = Math.max(highest, entry.getValue().highest);
        return highest;
    }

    /** What a run has written for one origin. */
    private record Run(long origin, long run) {}

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
