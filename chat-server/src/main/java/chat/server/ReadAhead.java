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
 * Reads what was said lately before the server says that it is ready: who comes then does not wait for it. Its port is open
 * meanwhile, for health, and for those who come without asking a balancer.
 */
final class ReadAhead implements ApplicationRunner {
    /** A log that cannot be used for so long is not waited for: another server would be no better off. */
    private static final long UNUSABLE_NANOS = TimeUnit.SECONDS.toNanos(3);

    private static final long LOOK_MILLIS = 100;
    private static final Logger logger = LoggerFactory.getLogger(ReadAhead.class);

    private final Rooms rooms;
    private final RoomLog log;
    private final Duration longest;
    private volatile boolean over;

    /** @param longest that the start waits for it; 0: nothing is read before somebody comes */
    ReadAhead(Rooms rooms, RoomLog log, Duration longest) {
        this.rooms = rooms;
        this.log = log;
        this.longest = longest;
    }

    /** Whether the start no longer waits; any thread. */
    boolean isOver() {
        return over;
    }

    /** Blocks, and with it the word that the server is ready. */
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
                logger.warn("the log is {}: what was said lately is not waited for", state);
                return;
            }
            if (now - begun >= longest.toNanos()) {
                logger.warn(
                        "what was said lately was not read within {} ms: who comes waits for the rest",
                        longest.toMillis());
                return;
            }
        }
        if (reading.isCompletedExceptionally()) return; // the server stops already
        logger.info(
                "what was said lately in {} partitions was read in {} ms",
                rooms.partitionsRead(),
                TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun));
    }
}
