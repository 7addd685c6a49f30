package chat.server.admission;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;

/**
 * Configures when the server rejects new sockets. It accepts them again below a fixed share of the high mark.
 *
 * @param loopDelay the wait of tasks for an event loop
 * @param heap share of the heap in use after garbage collection
 * @param processCpu share of all processors used by this process
 * @param systemCpu share of all processors in use
 */
public record OverloadSettings(Delay loopDelay, Share heap, Share processCpu, Share systemCpu) {
    /** A server has a few dozen threads, plus its event loops and partitions, however many sockets it holds. */
    private static final double THREADS = 2000;

    /** A standing delay of this share of the high mark is gone, not only shorter. */
    private static final double LOW_DELAY = 0.2;

    /** Far enough below the high mark that a server at its limit does not flap. */
    private static final double LOW_SHARE = 8.0 / 9;

    /** @param high the server rejects new sockets from this delay; 0: off */
    public record Delay(Duration high) {
        public Delay {
            if (high.isNegative()) throw new IllegalArgumentException("high must not be negative");
        }
    }

    /**
     * @param high the server rejects new sockets from this share, at most 1; 0: off
     */
    public record Share(double high) {
        public Share {
            if (!(high >= 0 && high <= 1)) throw new IllegalArgumentException("high must be 0 to 1");
        }
    }

    /** The measured resources and their watermarks. */
    Map<Resource, Watermarks> marks() {
        Map<Resource, Watermarks> marks = new EnumMap<>(Resource.class);
        marks.put(Resource.EVENT_LOOP, marks((double) loopDelay.high().toMillis(), LOW_DELAY));
        marks.put(Resource.HEAP, marks(heap.high(), LOW_SHARE));
        marks.put(Resource.PROCESS_CPU, marks(processCpu.high(), LOW_SHARE));
        marks.put(Resource.SYSTEM_CPU, marks(systemCpu.high(), LOW_SHARE));
        marks.put(Resource.THREADS, marks(THREADS, LOW_SHARE));
        marks.values().removeIf(Watermarks::isOff);
        return marks;
    }

    private static Watermarks marks(double high, double low) {
        return new Watermarks(high, high * low);
    }
}
