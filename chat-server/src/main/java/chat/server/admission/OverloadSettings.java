package chat.server.admission;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;

/**
 * When new sockets are refused.
 *
 * @param retryAfter what those are told who are refused; each is told up to twice as much, so that they come back spread
 * @param loopDelay how long tasks may wait for an event loop
 * @param heap share of the heap that is used after a collection, 0 to 1
 * @param processCpu share of all processors that this process takes, 0 to 1
 * @param systemCpu share of all processors that is taken at all, 0 to 1
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
     * @param high from here on new sockets are refused; 0: nobody looks
     * @param low below they are let in again
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

    /** What is looked at, and its marks. */
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
