package chat.server.room;

import chat.log.LogSettings;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Decides how long messages wait for more messages, so that one frame carries them all: the cost of a frame to every
 * member exceeds that of its content. Without load nothing waits. Under load, frames have a minimum interval. If
 * several servers write to the partition, messages of one server wait for those of the others, because they publish at
 * about the same time; the wait grows with the queueing delay. Confined to the partition's thread.
 */
final class FrameCoalescer {
    /** A server counts as a writer until this number of frames had no message of it. */
    private static final int PATIENCE = 3;

    /** The wait for other servers grows by this multiple of the queueing delay. */
    private static final int QUEUEING = 2;

    /** After this time the last frame no longer indicates load. */
    private static final long STALE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final long nanos;
    /** The writers by incarnation, with the number of frames since their last message; 0 if the next frame has one. */
    private final Map<Long, Integer> writers = new HashMap<>();

    private int messages;
    private boolean busy;
    private long flushedNanos;

    /** @param nanos minimum interval between frames, and minimum wait for other servers; 0: messages never wait */
    FrameCoalescer(long nanos) {
        this.nanos = nanos;
    }

    /** Records that the next frame has messages of this incarnation. */
    void read(long incarnation) {
        writers.put(incarnation, 0);
    }

    /** Adds to the number of messages in the next frame. */
    void add(int fresh) {
        messages += fresh;
    }

    /**
     * Returns the time until the next frame is due, in nanoseconds; 0 or less if it is due now.
     *
     * @param queueingNanos the current queueing delay of this server's entries
     */
    long left(long now, long queueingNanos) {
        if (nanos == 0 || !busy || now - flushedNanos >= STALE_NANOS) return 0;
        return isEveryWriterHeard() ? flushedNanos + nanos - now : nanos + QUEUEING * queueingNanos;
    }

    /** Whether the next frame has messages of every known writer. */
    boolean isEveryWriterHeard() {
        for (int frames : writers.values()) if (frames > 0) return false;
        return true;
    }

    /** Records that the frame was sent. */
    void flushed(long now) {
        busy = messages >= LogSettings.BUSY_MESSAGES;
        flushedNanos = now;
        messages = 0;
        writers.replaceAll((incarnation, frames) -> frames + 1);
        writers.values().removeIf(frames -> frames > PATIENCE);
    }
}
