package chat.server;

import chat.log.RoomLog;
import chat.server.room.Rooms;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;

/**
 * Reads what was said lately before the server says that it is ready: who comes then does not wait for it. Its port is open
 * meanwhile, for health, and for those who come without asking a balancer.
 */
final class ReadAhead implements ApplicationRunner {
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

    /** Whether the start waits for it no more; any thread. */
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
        CompletableFuture<String> fault = new CompletableFuture<>();
        log.onFault(why -> {
            if (log.state() == RoomLog.State.DOWN) fault.complete(why);
        });
        CompletableFuture<Void> done = rooms.readAhead();
        try {
            CompletableFuture.anyOf(done, fault).get(longest.toMillis(), TimeUnit.MILLISECONDS);
            if (done.isDone())
                logger.info(
                        "what was said lately in {} partitions was read in {} ms",
                        rooms.partitions(),
                        TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun));
            else logger.warn("nothing can be read ahead: {}", fault.join());
        } catch (TimeoutException busy) {
            logger.warn("what was said lately was not read in {}: the first who come wait for the rest", longest);
        } catch (ExecutionException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
