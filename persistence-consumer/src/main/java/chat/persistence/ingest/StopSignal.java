package chat.persistence.ingest;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Signals shutdown to threads that wait or retry. Thread-safe. */
final class StopSignal {
    private boolean given;
    private long deadlineNanos;

    /** Starts the shutdown; all work must end within the limit. */
    synchronized void give(Duration limit) {
        if (given) return;
        given = true;
        deadlineNanos = System.nanoTime() + limit.toNanos();
        notifyAll();
    }

    synchronized boolean isGiven() {
        return given;
    }

    synchronized boolean isOver() {
        return given && System.nanoTime() - deadlineNanos >= 0;
    }

    /** Waits, but no longer than the limit; returns false once the limit is reached. */
    synchronized boolean pause(Duration duration) {
        long until = System.nanoTime() + duration.toNanos();
        try {
            long left;
            while (!isOver() && (left = until - System.nanoTime()) > 0) {
                if (given) left = Math.min(left, deadlineNanos - System.nanoTime());
                TimeUnit.NANOSECONDS.timedWait(this, Math.max(left, 1));
            }
            return !isOver();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
