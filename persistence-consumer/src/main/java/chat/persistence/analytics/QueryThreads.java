package chat.persistence.analytics;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Where questions wait for the database, each on a thread that holds one connection at most. Chat servers continue with
 * the history where their memory ends, and give that up after some seconds; so other questions, however slow, never get
 * all connections.
 *
 * @param history for a room's messages before or after a position: as many threads as there are connections
 * @param others for all other questions: a third fewer
 * @param refused counts questions of either kind that found too many waiting
 */
public record QueryThreads(Scheduler history, Scheduler others, LongAdder refused) implements AutoCloseable {
    /** Questions that may wait for a thread, of either kind; more are refused. */
    private static final int WAITING = 256;

    private static final long IDLE_SECONDS = 60;

    /** @param connections of the pool that is asked; a single one is shared by all */
    public static QueryThreads of(int connections) {
        int reserved = Math.max(1, connections / 3);
        LongAdder refused = new LongAdder();
        return new QueryThreads(
                threads(connections, "history", refused),
                threads(Math.max(1, connections - reserved), "queries", refused),
                refused);
    }

    private static Scheduler threads(int threads, String name, LongAdder refused) {
        // Not Reactor's bounded elastic scheduler: its threads have a queue each, and what waits behind a slow question
        // stays there though others are free.
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                threads,
                threads,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new ArrayBlockingQueue<>(WAITING),
                Thread.ofPlatform().name(name + "-", 1).daemon().factory(),
                (question, full) -> {
                    if (!full.isShutdown()) refused.increment();
                    throw new RejectedExecutionException(WAITING + " questions wait");
                });
        pool.allowCoreThreadTimeOut(true);
        return Schedulers.fromExecutorService(pool, name);
    }

    @Override
    public void close() {
        history.dispose();
        others.dispose();
    }
}
