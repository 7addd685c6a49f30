package chat.load.report;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;

/** Counts events in steps of ten seconds from the first send. Confined to one thread; counts of several are added. */
public final class TenSecondCounts {
    /** Length of a step in seconds. */
    static final int STEP = 10;

    private static final long[] NONE = {};
    private static final long STEP_NANOS = STEP * 1_000_000_000L;

    public enum Event {
        SENT,
        ACCEPTED,
        DELIVERED
    }

    private final Map<Event, long[]> counts = new EnumMap<>(Event.class);

    /** @param nanos since the first send; events before it count for the first step */
    public void add(Event event, long more, long nanos) {
        int step = (int) Math.max(0, nanos / STEP_NANOS);
        long[] steps = steps(event);
        if (step >= steps.length) {
            steps = Arrays.copyOf(steps, Math.max(step + 1, 2 * steps.length));
            counts.put(event, steps);
        }
        steps[step] += more;
    }

    public void add(TenSecondCounts more) {
        more.counts.forEach((event, steps) -> {
            for (int step = 0; step < steps.length; step++)
                if (steps[step] > 0) add(event, steps[step], step * STEP_NANOS);
        });
    }

    long count(Event event, int step) {
        long[] steps = steps(event);
        return step < steps.length ? steps[step] : 0;
    }

    private long[] steps(Event event) {
        return counts.getOrDefault(event, NONE);
    }
}
