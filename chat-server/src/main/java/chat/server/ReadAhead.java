package chat.server;

import chat.log.RoomLog;
import chat.server.room.Rooms;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;

/**
 * Reads the recent messages before the server reports that it is ready, so that first members do not wait. The port is
 * already open, for health checks and for clients that connect without a load balancer.
 */
final class ReadAhead implements ApplicationRunner {
    /** The start stops waiting for a log that is unusable for this time: other servers cannot use it either. */
    private static final long UNUSABLE_NANOS = TimeUnit.SECONDS.toNanos(3);

    private static final long LOOK_MILLIS = 100;
    private static final Logger logger = LoggerFactory.getLogger(ReadAhead.class);

    private final Rooms rooms;
    private final RoomLog log;
    private final Duration longest;
    private volatile boolean over;

    /** @param longest timeout; 0: partitions are read only for their first members */
    ReadAhead(Rooms rooms, RoomLog log, Duration longest) {
        this.rooms = rooms;
        this.log = log;
        this.longest = longest;
    }

    /** Whether the start no longer waits; any thread. */
    boolean isOver() {
        return over;
    }

    /** Blocks, which delays readiness. */
    @Override
    public void run(ApplicationArguments arguments) throws InterruptedException {
        try {
            if (longest.isPositive()) read();
        } finally {
            over = true;
        }
    }

    private void read() throws InterruptedException {
        long begun = System.nanoTime();
        long usable = begun;
        CompletableFuture<Void> reading = rooms.readAhead();
        CountDownLatch ended = new CountDownLatch(1);
        reading.whenComplete((unused, closed) -> ended.countDown());
        while (!ended.await(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
            long now = System.nanoTime();
            RoomLog.State state = log.state();
            if (state == RoomLog.State.UP) usable = now;
            if (now - usable >= UNUSABLE_NANOS) {
                logger.warn("the log is {}: ready without the recent messages", state);
                return;
            }
            if (now - begun >= longest.toNanos()) {
                logger.warn(
                        "the recent messages were not read within {} ms: first members wait for the rest",
                        longest.toMillis());
                return;
            }
        }
        if (reading.isCompletedExceptionally()) return; // the server stops already
        logger.info(
                "read the recent messages of {} partitions in {} ms",
                rooms.partitionsRead(),
                TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun));
    }
}
