package chat.server.admission;

import java.util.concurrent.atomic.AtomicInteger;

/** Limits how many messages wait in all queues together, because waiting messages take memory. Thread-safe. */
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

    void giveBack(int slots) {
        taken.addAndGet(-slots);
    }

    int taken() {
        return taken.get();
    }
}
