package chat.server.session;

import chat.log.PartitionLoop;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Bounds the memory of the frames in all outboxes by closing the slowest sessions. Members of a room share frames, so
 * the sum of all outboxes overstates the memory: this measures the memory itself. A frame is kept until its slowest
 * reader has it.
 */
final class FrameMemoryWatch implements AutoCloseable {
    private static final long PERIOD_MILLIS = 100;

    private final ScheduledExecutorService loop = PartitionLoop.named("frame-memory");

    /** @param used returns the bytes of all frames that are not sent yet, shared frames once */
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
