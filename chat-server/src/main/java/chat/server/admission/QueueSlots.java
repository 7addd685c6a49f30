package chat.server.admission;

import java.util.concurrent.atomic.AtomicInteger;

/** How much may wait in all queues together: what waits is kept in memory. Thread-safe. */
final class QueueSlots {
    private final int max;
    private final AtomicInteger taken = new AtomicInteger();

    QueueSlots(int max) {
        this.max = max;
    }

    boolean tryTake() {
        if (taken.incrementAndGet() <= max) return true;
        taken.decrementAndGet();
        return false;
    }

    void giveBack(int places) {
        taken.addAndGet(-places);
    }

    int taken() {
        return taken.get();
    }
}
