package chat.server.admission;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;

/**
 * Configures when the server rejects new sockets.
 *
 * @param retryAfter the time after which a rejected client may retry; the server randomizes it up to twice as long to
 *     spread the retries
 * @param loopDelay the wait of tasks for an event loop
 * @param heap share of the heap in use after garbage collection, 0 to 1
 * @param processCpu share of all processors used by this process, 0 to 1
 * @param systemCpu share of all processors in use, 0 to 1
 */
public record OverloadSettings(
        Duration retryAfter, Delay loopDelay, Watermarks heap, Watermarks processCpu, Watermarks systemCpu) {
    public OverloadSettings {
        if (retryAfter.toSeconds() < 1 || retryAfter.compareTo(Duration.ofMinutes(10)) > 0)
            throw new IllegalArgumentException("retry-after must be 1 second to 10 minutes");
        if (heap.high() > 1 || processCpu.high() > 1 || systemCpu.high() > 1)
            throw new IllegalArgumentException("high of heap, process-cpu and system-cpu must be at most 1");
    }

    /**
     * @param high the server rejects new sockets from this delay; 0: not measured
     * @param low below this delay it accepts them again
     */
    public record Delay(Duration high, Duration low) {
        public Delay {
            Watermarks unused = marks(high, low);
        }

        Watermarks marks() {
            return marks(high, low);
        }

        private static Watermarks marks(Duration high, Duration low) {
            return new Watermarks(high.toMillis(), low.toMillis());
        }
    }

    /** The measured resources and their watermarks. */
    Map<Resource, Watermarks> marks() {
        Map<Resource, Watermarks> marks = new EnumMap<>(Resource.class);
        marks.put(Resource.EVENT_LOOP, loopDelay.marks());
        marks.put(Resource.HEAP, heap);
        marks.put(Resource.PROCESS_CPU, processCpu);
        marks.put(Resource.SYSTEM_CPU, systemCpu);
        marks.values().removeIf(Watermarks::isOff);
        return marks;
    }
}
