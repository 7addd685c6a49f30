package chat.bench.streams;

import chat.log.RoomLog;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** Publishes at a fixed rate in an open loop, on its own thread until closed. */
final class Publishing implements AutoCloseable {
    private final RoomLog log;
    private final Load load;
    private final long start = System.nanoTime();
    private final Thread thread;
    private final AtomicLong confirmed = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();
    private volatile boolean over;

    Publishing(RoomLog log, Load load) {
        this.log = log;
        this.load = load;
        this.thread = Thread.ofPlatform().name("publishes at a rate").start(this::run);
    }

    private void run() {
        for (long i = 0; !over; i++) {
            long meantAt = meantAt(i);
            for (long early; (early = meantAt - System.nanoTime()) > 0; ) LockSupport.parkNanos(early);
            log.append((int) (i % log.partitions()), Stamp.entry(load.bytes(), meantAt))
                    .whenComplete((done, failure) -> (failure == null ? confirmed : failed).incrementAndGet());
        }
    }

    private long meantAt(long number) {
        return start + number * 1_000_000_000L / load.rate();
    }

    /** Returns the number of entries intended for that time. */
    long meantBetween(long from, long to) {
        long first = (from - start) * load.rate() / 1_000_000_000L;
        while (meantAt(first) < from) first++;
        long after = first;
        while (meantAt(after) < to) after++;
        return after - first;
    }

    long confirmed() {
        return confirmed.get();
    }

    long failed() {
        return failed.get();
    }

    @Override
    public void close() {
        over = true;
        try {
            thread.join();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
