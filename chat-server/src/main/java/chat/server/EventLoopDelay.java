package chat.server;

import java.time.Duration;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * Looks how late an event loop is: asks it twice a second to run nothing at a certain time, and tells how long after that
 * it did. So long everything else waits that the loop has to do, as a socket that could be read. On the loop only.
 */
final class EventLoopDelay implements Runnable {
    private static final long PERIOD_NANOS = Duration.ofMillis(500).toNanos();

    /** As an event loop does it: later, on its own thread; drops what it is given once it has ended. */
    interface Loop {
        void schedule(Runnable step, long nanos);
    }

    private final Loop loop;
    private final LongSupplier nanoTime;
    private final LongConsumer nanosLate;
    private long due;

    EventLoopDelay(Loop loop, LongSupplier nanoTime, LongConsumer nanosLate) {
        this.loop = loop;
        this.nanoTime = nanoTime;
        this.nanosLate = nanosLate;
    }

    /** Before any run; any thread. */
    void start() {
        again();
    }

    @Override
    public void run() {
        nanosLate.accept(Math.max(0, nanoTime.getAsLong() - due));
        again();
    }

    private void again() {
        due = nanoTime.getAsLong() + PERIOD_NANOS;
        loop.schedule(this, PERIOD_NANOS);
    }
}
