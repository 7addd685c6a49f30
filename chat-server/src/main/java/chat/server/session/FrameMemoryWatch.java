package chat.server.session;

import chat.log.PartitionLoop;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Bounds what the frames of all outboxes take together: members of a room share its frames, so only the memory itself
 * tells how much that is, and a frame lives as long as its slowest reader. Over the bound, the slowest are closed.
 */
final class FrameMemoryWatch implements AutoCloseable {
    private static final long PERIOD_MILLIS = 100;

    private final ScheduledExecutorService loop = PartitionLoop.named("frame-memory");

    /** @param used bytes of all frames that are not sent yet */
    FrameMemoryWatch(Sessions sessions, LongSupplier used, long maxBytes) {
        loop.scheduleWithFixedDelay(
                () -> {
                    long excess = used.getAsLong() - maxBytes;
                    if (excess > 0) sessions.closeSlowest(excess);
                },
                PERIOD_MILLIS,
                PERIOD_MILLIS,
                TimeUnit.MILLISECONDS);
    }

    @Override
    public void close() {
        loop.shutdownNow();
    }
}
