package chat.server.room;

import chat.log.LogSettings;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * How long what was read of a partition waits for what may follow, so that one frame tells both: a frame to every member
 * costs more than what it says. Where little is said nothing waits. Under load frames keep a distance, and where several
 * servers write into the partition, what was read of one waits for the others, who mostly write at the same time: as long,
 * and longer where everything is busy, themselves included. Confined to the partition's thread.
 */
final class FrameCoalescer {
    /** So many frames wait for one of whom they have nothing. */
    private static final int PATIENCE = 3;

    /** Other servers are waited for by so many queueing delays longer. */
    private static final int QUEUEING = 2;

    /** So long after a frame it says nothing of now. */
    private static final long STALE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final long nanos;
    /** The servers that write, by their runs, and how many frames ago they were heard; 0: the next frame has something. */
    private final Map<Long, Integer> writers = new HashMap<>();

    private int messages;
    private boolean busy;
    private long flushedNanos;

    /** @param nanos between two frames, and to wait for other servers where nothing is busy; 0: nothing waits */
    FrameCoalescer(long nanos) {
        this.nanos = nanos;
    }

    /** There is something to hand on of an entry that this run wrote. */
    void read(long run) {
        writers.put(run, 0);
    }

    /** So many messages more are there to be handed on. */
    void add(int fresh) {
        messages += fresh;
    }

    /**
     * How long what there is to hand on has to wait yet, in nanoseconds; not above 0: not at all.
     *
     * @param queueingNanos by so much entries of this server are late now
     */
    long left(long now, long queueingNanos) {
        if (nanos == 0 || !busy || now - flushedNanos >= STALE_NANOS) return 0;
        return isEverybodyHeard() ? flushedNanos + nanos - now : nanos + QUEUEING * queueingNanos;
    }

    /** Whether nobody is known of whom more is to be expected. */
    boolean isEverybodyHeard() {
        for (int frames : writers.values()) if (frames > 0) return false;
        return true;
    }

    /** What there was is handed on. */
    void flushed(long now) {
        busy = messages >= LogSettings.BUSY_MESSAGES;
        flushedNanos = now;
        messages = 0;
        writers.replaceAll((run, frames) -> frames + 1);
        writers.values().removeIf(frames -> frames > PATIENCE);
    }
}
